# Merges the two recordings of record.py: values that differ are not initialised and become ?. Writes
# a record a line: the number of the pass, function:line, and the variables, separated by tabs.
import json, sys

def merge(a, b):
    if a == b:
        return a
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and a[0] == b[0]:
        return [merge(x, y) for x, y in zip(a, b)]
    return "?"

def text(v):
    if not isinstance(v, list):
        return "&" if v.startswith("& ") else v # an address is no value
    if v[0].endswith("{"):
        return v[0] + ", ".join("%s=%s" % (v[i], text(v[i + 1])) for i in range(1, len(v), 2)) + "}"
    if v[0] == "[":
        return "[" + ", ".join(map(text, v[1:])) + "]"
    return "&" + text(v[1])

one, two = ([json.loads(l) for l in open(f)] for f in sys.argv[1:3])
assert one and len(one) == len(two), (len(one), len(two))
last = ""
for a, b in zip(one, two):
    assert a[:2] == b[:2] and len(a[2]) == len(b[2]), (a, b)
    line = ("\t".join([str(a[3]), "%s:%d" % (a[0], a[1])] + ["%s=%s" % (x[0], text(merge(x[1], y[1]))) for x, y in zip(a[2], b[2])]))
    if line != last: # rows of which nothing differs are one
        print(line)
    last = line

# Records, in gdb, the locals in scope at every row of the line table that a program passes: at each
# statement of the functions of a source file. build.sh runs it twice, each time with other garbage
# below the stack pointer where a function begins, and merges what was recorded: what differs was not
# initialised.
#
# Environment: SOURCE, the file; FILL, the byte of the garbage; OUT, where the records go, one in JSON
# a line: function, line, variables (innermost scope first, each a name and a value), and the number of
# the pass of the line: what is called from it does not end a pass.
#
# A value is a string, or a list: ["{", name, value, …] of a struct or union (in Rust its name stands
# before the brace), ["[", value, …] of an
# array, ["&", value] of a pointer.
import gdb, json, os, struct

source, fill, out = os.environ["SOURCE"], int(os.environ["FILL"]), open(os.environ["OUT"], "w")
DEPTH = 4

def bits(x):
    return "f" + struct.pack(">d", float(x)).hex()

def text(b):
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in (34, 92) else "\\x%02x" % c for c in b) + '"'

def is_char(t):
    t = t.strip_typedefs()
    return t.sizeof == 1 and t.code in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR) and "char" in str(t)

def value(v, depth=0):
    t = v.type.strip_typedefs()
    c = t.code
    if v.is_optimized_out:
        return "<optimized out>"
    if c in (gdb.TYPE_CODE_TYPEDEF,):
        return value(v.cast(t), depth)
    if c == gdb.TYPE_CODE_FLT:
        return bits(v)
    if c == gdb.TYPE_CODE_BOOL:
        return {0: "false", 1: "true"}.get(int(v), str(int(v)))
    if c == gdb.TYPE_CODE_CHAR and t.sizeof == 4: # Rust
        return "c%x" % int(v)
    if c in (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR):
        return str(int(v))
    if c in (gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_FLAGS):
        n = int(v)
        for f in t.fields():
            if f.enumval == n:
                return f.name.split("::")[-1]
        flags = [f for f in t.fields() if f.enumval and f.enumval & (f.enumval - 1) == 0]
        if len(flags) == len(t.fields()) > 1:
            names = [f.name for f in flags if n & f.enumval]
            rest = n & ~sum(f.enumval for f in flags)
            if names and not rest:
                return "|".join(names)
        return str(n)
    if c in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF):
        if c == gdb.TYPE_CODE_PTR and int(v) == 0:
            return "null"
        to = t.target().strip_typedefs()
        if to.code == gdb.TYPE_CODE_FUNC:
            b = gdb.block_for_pc(int(v))
            return "fn " + str(b.function) if b and b.function else "wild %x" % int(v)
        if to.code == gdb.TYPE_CODE_VOID:
            return "& %x" % int(v)
        try:
            if is_char(to):
                s = b""
                a = int(v)
                while len(s) < 200:
                    x = bytes(gdb.selected_inferior().read_memory(a + len(s), 1))
                    if x == b"\0":
                        break
                    s += x
                return text(s)
            if depth >= DEPTH:
                gdb.selected_inferior().read_memory(int(v), 1)
                return "…"
            x = v.referenced_value()
            x.fetch_lazy()
            if rust: # gdb does not say which pointers are references; the programs have no others
                return value(x, depth)
            return ["&", value(x, depth + 1)]
        except gdb.MemoryError:
            return "wild %x" % int(v)
    if c == gdb.TYPE_CODE_ARRAY:
        lo, hi = t.range()
        return ["["] + [value(v[i], depth) for i in range(lo, min(hi, lo + 1000) + 1)]
    if c in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        if rust:
            return rust_struct(v, t, depth)
        r = ["{"]
        for f in t.fields():
            x = value(v[f], depth)
            r += x[1:] if not f.name else [f.name, x] # a member without a name stands for its own
        return r
    return "<%s>" % t

rust = source.endswith(".rs")

def read(addr, n):
    return bytes(gdb.selected_inferior().read_memory(addr, n)) if n else b""

def items(p, n, depth):
    if n > 1000:
        return "wild %x" % n
    return ["["] + [value((p + i).dereference(), depth) for i in range(n)]

def rust_struct(v, t, depth):
    name = str(t)
    try:
        if name in ("&str", "&mut str"):
            n = int(v["length"])
            return text(read(int(v["data_ptr"]), n)) if n < 1000 else "wild %x" % n
        if name.startswith("&[") or name.startswith("&mut ["):
            return items(v["data_ptr"], int(v["length"]), depth)
        if name == "alloc::string::String":
            v = v["vec"]
            n = int(v["len"])
            return text(read(int(v["buf"]["ptr"]["pointer"]["pointer"]), n)) if n < 1000 else "wild %x" % n
        if name.startswith("core::ptr::non_null::NonNull<"):
            return value(v["pointer"], depth)
        if name.startswith("alloc::vec::Vec<"):
            p = v["buf"]["ptr"]["pointer"]["pointer"]
            return items(p.cast(t.template_argument(0).pointer()), int(v["len"]), depth)
    except gdb.MemoryError:
        return "wild"
    fields = [f for f in t.fields() if not f.artificial]
    if len(fields) == 1 and fields[0].name and str(fields[0].type).endswith("::" + fields[0].name):
        return value(v[fields[0]], depth) # a variant of an enum: its type has its name
    word = name.split("<")[0] if name[:1] not in "({" else ""
    if name.endswith(tuple("::" + w for w in ("Some", "None", "Ok", "Err"))):
        word = name
    word = word.split("::")[-1]
    if not fields and word.isidentifier():
        return word
    return [(word if word.isidentifier() else "") + "{"] + [x for f in fields for x in (f.name.removeprefix("__"), value(v[f], depth))]

def here():
    frame = gdb.selected_frame()
    vs = []
    b = frame.block()
    while b and not b.is_global and not b.is_static:
        for s in b:
            if (s.is_variable or s.is_argument) and not s.name.startswith("__vla_expr"): # artificial
                try:
                    vs.append([s.name, value(s.value(frame))])
                except gdb.error as e:
                    vs.append([s.name, "<%s>" % e])
        if b.function:
            break
        b = b.superblock
    base = int(frame.read_register("rbp"))
    while activations and activations[-1][0] < base: # have returned
        activations.pop()
    at = [base, short(frame.name()), frame.find_sal().line]
    if not activations or activations[-1][:3] != at:
        if activations and activations[-1][0] == base:
            activations.pop()
        global passes
        passes += 1
        activations.append(at + [passes])
    out.write(json.dumps(at[1:] + [vs, activations[-1][3]]) + "\n")

# The frames that are alive, outermost first: base, function, line, and the number of the pass of it.
activations, passes = [], 0

def short(name):
    return name.split("::")[-1] if rust else name

class Row(gdb.Breakpoint):
    def __init__(self, addr):
        super().__init__("*%d" % addr, internal=True)
    def stop(self):
        here()
        return False

class Entry(gdb.Breakpoint):
    def __init__(self, addr):
        super().__init__("*%d" % addr, internal=True)
    def stop(self):
        sp = int(gdb.parse_and_eval("$sp"))
        gdb.selected_inferior().write_memory(sp - 8192, bytes([fill]) * (8192 - 8))
        return False

gdb.execute("set pagination off")
gdb.execute("set debuginfod enabled off")
gdb.execute("set disable-randomization on")
gdb.execute("set print pretty off")
gdb.execute("break main")
gdb.execute("run >/dev/null")
tables = {}
for line in range(1, len(open(source).readlines()) + 1):
    try:
        _, locations = gdb.decode_line("%s:%d" % (source, line))
    except gdb.error:
        continue
    for l in locations or ():
        if l.symtab and os.path.basename(l.symtab.filename) == source:
            tables[l.symtab.fullname()] = l.symtab
done, entries = set(), set()
for table in tables.values():
    for row in table.linetable():
        block = gdb.block_for_pc(row.pc)
        while block and not block.function:
            block = block.superblock
        if not block or row.line == 0:
            continue
        if block.start not in entries:
            entries.add(block.start)
            Entry(block.start)
        if row.pc != block.start and row.pc not in done:
            done.add(row.pc)
            Row(row.pc)
gdb.execute("continue")
out.close()
gdb.execute("quit")

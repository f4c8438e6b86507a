package dwarf

import (
	"cmp"
	std "debug/dwarf"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"stackscope/analysis/debuginfo"
)

// unitIndex has the places of the entries of a unit that are asked for.
type unitIndex struct {
	nodes []node    // namespaces, types and functions, by offset
	funcs []fnEntry // functions with code, by address
	vars  []node    // variables outside of functions, by offset
}

// node is an entry that others are in, or that has a name.
type node struct {
	off    uint32
	parent int32 // in nodes; -1: the unit
	tag    std.Tag
}

type fnEntry struct {
	addr uint64
	off  uint32
}

// maxDepth bounds how deep entries are in others.
const maxDepth = 500

// container reports whether the names of what is in an entry begin with its name.
func container(t std.Tag) bool {
	switch t {
	case std.TagNamespace, std.TagModule, std.TagStructType, std.TagClassType, std.TagUnionType,
		std.TagInterfaceType, std.TagEnumerationType:
		return true
	}
	return false
}

// named reports whether an entry is looked for by its name.
func named(t std.Tag) bool {
	switch t {
	case std.TagTypedef, std.TagBaseType, std.TagUnspecifiedType, std.TagSubprogram, std.TagTemplateAlias:
		return true
	}
	return container(t)
}

// walk calls f for the entries of a unit that have names, and for variables outside of functions, in
// order. parent is the number that f returned for the entry around it, -1 if there is none. The
// values of entries are read if their tag is wanted.
func (u *unit) walk(wanted func(std.Tag) bool, f func(d *die, parent int32) int32) bool {
	type level struct {
		node int32
		fn   bool // in a function
	}
	var d die
	if !d.read(u, u.die) {
		return false
	}
	if !d.kids {
		return true
	}
	stack := []level{{node: -1}}
	for r := u.at(d.next); len(stack) > 0; {
		from := r.p
		code := r.uleb()
		if code == 0 {
			if r.bad {
				return false
			}
			stack = stack[:len(stack)-1]
			continue
		}
		a := u.abbs.get(code)
		if a == nil {
			return false
		}
		top := stack[len(stack)-1]
		in := top
		if named(a.tag) || !top.fn && (a.tag == std.TagVariable || a.tag == std.TagConstant) {
			if wanted(a.tag) {
				r.p = from
				if !d.decode(u, &r) {
					return false
				}
			} else {
				d.off, d.tag, d.kids, d.vals = uint32(from), a.tag, a.children, d.vals[:0]
				if r.pass(a); r.bad {
					return false
				}
			}
			in.node = f(&d, top.node)
			in.fn = in.fn || a.tag == std.TagSubprogram
		} else if r.pass(a); r.bad {
			return false
		}
		if a.children {
			if len(stack) >= maxDepth {
				return false
			}
			stack = append(stack, in)
		}
	}
	return true
}

func isFunc(t std.Tag) bool { return t == std.TagSubprogram }

// isObject reports whether an entry is a type or a variable.
func isObject(t std.Tag) bool { return t != std.TagSubprogram && t != std.TagNamespace }

// indexOf returns the index of a unit, which is loaded.
func (u *unit) indexOf() *unitIndex {
	u.indexOnce.Do(func() {
		x := &u.index
		ok := u.walk(isFunc, func(d *die, parent int32) int32 {
			if d.tag == std.TagVariable || d.tag == std.TagConstant {
				x.vars = append(x.vars, node{d.off, parent, d.tag})
				return parent
			}
			x.nodes = append(x.nodes, node{d.off, parent, d.tag})
			if d.tag == std.TagSubprogram {
				if ranges, _ := u.ranges(d); len(ranges) > 0 {
					x.funcs = append(x.funcs, fnEntry{ranges[0][0], d.off})
				}
			}
			return int32(len(x.nodes) - 1)
		})
		if !ok {
			u.s.r.warnf("the unit at %#x is malformed: its end is left out", u.off)
		}
		slices.SortStableFunc(x.funcs, func(a, b fnEntry) int { return cmp.Compare(a.addr, b.addr) })
		x.nodes, x.vars = slices.Clip(x.nodes), slices.Clip(x.vars)
	})
	return &u.index
}

func byOffset(n node, off uint32) int { return cmp.Compare(n.off, off) }

// around returns the number of the node that a type, a function or a variable outside of functions is
// in; -1: that is the unit.
func (u *unit) around(off uint32) int32 {
	x := u.indexOf()
	if i, ok := slices.BinarySearchFunc(x.nodes, off, byOffset); ok {
		return x.nodes[i].parent
	}
	if i, ok := slices.BinarySearchFunc(x.vars, off, byOffset); ok {
		return x.vars[i].parent
	}
	return -1
}

// separator is what stands between the names of a language.
func separator(l debuginfo.Language) string {
	switch l {
	case debuginfo.Zig, debuginfo.Kotlin, debuginfo.Go, debuginfo.OCaml, debuginfo.Dart:
		return "."
	}
	return "::"
}

// qualified returns the name of an entry with the names of what it is in. The name of a function that
// is in another begins with that.
func (u *unit) qualified(off uint32, name string, fn bool) string {
	if name == "" || u.lang == debuginfo.C {
		return name
	}
	x := u.indexOf()
	parts := []string{name}
	for i, n := u.around(off), 0; i >= 0 && n < maxDepth; i, n = x.nodes[i].parent, n+1 {
		tag := x.nodes[i].tag
		if !container(tag) && (tag != std.TagSubprogram || !fn) {
			break
		}
		var d die
		if !d.read(u, x.nodes[i].off) {
			break
		}
		s := d.str(std.AttrName)
		switch {
		case s != "":
		case tag == std.TagNamespace:
			s = "(anonymous namespace)"
		case tag == std.TagSubprogram:
			s = d.plainName()
		case fn && (strings.HasPrefix(name, "operator") || name == "__invoke"):
			s = "(lambda)"
		case fn:
			s = "(anonymous)"
		default:
			continue // an anonymous struct has no name in those of its parts
		}
		if parts = append(parts, s); tag == std.TagSubprogram {
			break
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, separator(u.lang))
}

// nameEntry is an entry in the index of names of all units.
type nameEntry struct {
	hash uint32
	ref  ref
}

// hashName returns a hash of the first bytes of a name.
func hashName[T string | []byte](name T) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(name) && i < 256; i++ {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// readNames makes the index of the names of the types and variables of all units.
func (r *Reader) readNames() {
	var mu sync.Mutex
	each(r.allUnits(), func(u *unit) {
		var names []nameEntry
		u.walk(isObject, func(d *die, parent int32) int32 {
			if isObject(d.tag) && !d.flag(std.AttrDeclaration) {
				if v, ok := d.get(std.AttrName); ok {
					names = append(names, nameEntry{hashName(u.text(v)), u.ref(d.off)})
				}
			}
			return -1
		})
		mu.Lock()
		defer mu.Unlock()
		r.names = append(r.names, names...)
	})
	slices.SortFunc(r.names, func(a, b nameEntry) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.ref, b.ref))
	})
	r.names = slices.Clip(r.names)
}

// each calls f for units that can be loaded, several at a time.
func each(units []*unit, f func(u *unit)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(units)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(units)); i = next.Add(1) - 1 {
				if u := units[i]; u.load() {
					f(u)
				}
			}
		})
	}
	wg.Wait()
}

// allUnits returns the units of all spaces that are open, split ones in place of their skeletons.
func (r *Reader) allUnits() (out []*unit) {
	for _, u := range r.main.units {
		if !u.load() {
			continue
		}
		if f := u.whole(); f != nil {
			u = f
		}
		out = append(out, u)
	}
	r.spacesMu.Lock()
	defer r.spacesMu.Unlock()
	for _, s := range r.spaces[1:] {
		for _, u := range s.units {
			if u.kind == utType || u.kind == utSplitType {
				out = append(out, u)
			}
		}
	}
	return out
}

// lookup calls f for the entries with a name, as the source writes it, until f returns false. Those
// of a unit come first.
func (r *Reader) lookup(name string, want func(std.Tag) bool, f func(u *unit, d *die) bool) {
	r.namesOnce.Do(r.readNames)
	last := lastName(name)
	h := hashName(last)
	i := sort.Search(len(r.names), func(i int) bool { return r.names[i].hash >= h })
	for ; i < len(r.names) && r.names[i].hash == h; i++ {
		var d die
		if !r.open(r.names[i].ref, &d) || !want(d.tag) {
			continue
		}
		s := d.str(std.AttrName)
		if s != last || last != name && d.u.qualified(d.off, s, false) != name {
			continue
		}
		if !f(d.u, &d) {
			return
		}
	}
}

// lastName returns what is after the last separator of a name that is not in brackets.
func lastName(name string) string {
	depth := 0
	for i := len(name) - 1; i > 0; i-- {
		switch c := name[i]; {
		case c == '>' || c == ')' || c == ']' || c == '}':
			depth++
		case c == '<' || c == '(' || c == '[' || c == '{':
			depth--
		case depth == 0 && (c == ':' && name[i-1] == ':' || c == '.'):
			return name[i+1:]
		}
	}
	return name
}

// before returns the number of the last node before an entry; -1: there is none.
func (x *unitIndex) before(off uint32) int32 {
	return int32(sort.Search(len(x.nodes), func(i int) bool { return x.nodes[i].off >= off })) - 1
}

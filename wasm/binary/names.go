package binary

import (
	"maps"
	"slices"

	"stackscope/wasm"
)

// The ids of the name section's parts, with those of the extended-name-section proposal.
const (
	nameModule = iota
	nameFuncs
	nameLocals
	nameLabels
	nameTypes
	nameTables
	nameMems
	nameGlobals
	nameElems
	nameDatas
	nameFields
	nameTags
)

// nameMaps returns the map that each part with one level fills.
func nameMaps(n *wasm.Names) map[byte]map[uint32]string {
	return map[byte]map[uint32]string{nameFuncs: n.Funcs, nameTypes: n.Types, nameTables: n.Tables, nameMems: n.Mems,
		nameGlobals: n.Globals, nameElems: n.Elems, nameDatas: n.Datas, nameTags: n.Tags}
}

// nameMaps2 returns the map that each part with two levels fills.
func nameMaps2(n *wasm.Names) map[byte]map[uint32]map[uint32]string {
	return map[byte]map[uint32]map[uint32]string{nameLocals: n.Locals, nameLabels: n.Labels, nameFields: n.Fields}
}

// decodeNames reads a name section. It returns false, and leaves the names as they are, if that is
// not well-formed: this never makes a module malformed.
func decodeNames(m *wasm.Module, b []byte) bool {
	r := &reader{b: b}
	n := wasm.NewNames()
	one, two := nameMaps(n), nameMaps2(n)
	all := string(b) // the names are parts of it
	name := func() string {
		s := r.nameBytes()
		return all[r.pos-len(s) : r.pos]
	}
	level := func(c int, names map[uint32]string) {
		for ; c > 0 && r.err == nil; c-- {
			i := r.u32()
			if s := name(); r.err == nil {
				names[i] = s
			}
		}
	}
	for last := -1; !r.eof(); {
		id := r.byte()
		r.require(int(id) > last, r.pos, "name subsections out of order")
		last = int(id)
		r.sized(func(size int) {
			switch {
			case id == nameModule:
				n.Module = name()
			case one[id] != nil:
				level(r.count(), one[id])
			case two[id] != nil:
				for c := r.count(); c > 0 && r.err == nil; c-- {
					i, k := r.u32(), r.count()
					names := two[id][i]
					if names == nil && k > 0 {
						names = make(map[uint32]string, min(k, 1024))
						two[id][i] = names
					}
					level(k, names)
				}
			default:
				r.bytes(size) // of a later version
			}
		})
	}
	if r.err != nil {
		return false
	}
	m.Names = n
	return true
}

// encodeNames returns the contents of the name section; nil if nothing has a name.
func encodeNames(n *wasm.Names) []byte {
	if n == nil {
		return nil
	}
	w := &writer{}
	level := func(w *writer, names map[uint32]string) {
		w.u32(uint32(len(names)))
		for _, i := range slices.Sorted(maps.Keys(names)) {
			w.u32(i)
			w.name(names[i])
		}
	}
	one, two := nameMaps(n), nameMaps2(n)
	for id := byte(nameModule); id <= nameTags; id++ {
		part := &writer{}
		switch {
		case id == nameModule && n.Module != "":
			part.name(n.Module)
		case len(one[id]) > 0:
			level(part, one[id])
		case len(two[id]) > 0:
			part.u32(uint32(len(two[id])))
			for _, i := range slices.Sorted(maps.Keys(two[id])) {
				part.u32(i)
				level(part, two[id][i])
			}
		default:
			continue
		}
		w.byte(id)
		w.sized(part.b)
	}
	return w.b
}

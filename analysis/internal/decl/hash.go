package decl

import (
	"hash/maphash"
	"slices"
	"strconv"

	"stackscope/wasm"
)

var seed = maphash.MakeSeed()

// ComputeHash computes a hash of all that bodies depend on. Two modules with the same sum give the
// same findings for the same body.
func (d *Decls) ComputeHash() {
	var h maphash.Hash
	h.SetSeed(seed)
	u32 := func(v uint32) {
		var b [4]byte
		b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		h.Write(b[:])
	}
	val := func(t wasm.ValType) { u32(uint32(t)); u32(uint32(t >> 32)) }
	flag := func(fs ...bool) {
		for _, f := range fs {
			if f {
				h.WriteByte(1)
			} else {
				h.WriteByte(0)
			}
		}
	}
	h.WriteByte(byte(d.Mod.Dialect))
	for _, g := range d.Mod.Recs {
		if g.Start < d.Explicit {
			u32(g.Len)
		}
	}
	for sp := SpaceType; sp <= SpaceData; sp++ {
		u32(uint32(len(d.Spaces[sp].Items)))
		names := d.nameMap(sp)
		for i := range d.Spaces[sp].Items {
			if s, ok := names[uint32(i)]; ok {
				h.WriteString(s)
			}
			h.WriteByte(0)
		}
	}
	typ := func(i uint32) {
		if i < d.Explicit || int(i) >= len(d.Mod.Types) {
			u32(i)
			return
		}
		t := &d.Mod.Types[i]
		for _, p := range t.Params {
			val(p)
		}
		h.WriteByte(0xff)
		for _, p := range t.Results {
			val(p)
		}
		h.WriteByte(0xfe)
	}
	for i := range d.Mod.Types[:min(int(d.Explicit), len(d.Mod.Types))] {
		t := &d.Mod.Types[i]
		h.WriteByte(byte(t.Kind))
		flag(t.Final)
		for _, s := range t.Supers {
			u32(s)
		}
		h.WriteByte(0xfd)
		for _, p := range t.Params {
			val(p)
		}
		h.WriteByte(0xff)
		for _, p := range t.Results {
			val(p)
		}
		h.WriteByte(0xfe)
		for _, f := range t.Fields {
			val(f.Type)
			flag(f.Mut)
		}
		u32(t.Func)
		if fs := d.Fields[uint32(i)]; fs != nil {
			for k := range fs.Nodes {
				h.WriteString(d.Mod.Names.Fields[uint32(i)][uint32(k)])
				h.WriteByte(0)
			}
		}
	}
	for i := range d.Mod.Types { // inline fiber types are named by their index
		if t := &d.Mod.Types[i]; t.Implicit && t.Kind == wasm.CompFiber {
			u32(uint32(i))
			typ(uint32(i))
		}
	}
	for i := range d.Mod.Funcs {
		typ(d.Mod.Funcs[i].Type)
		flag(d.Mod.Funcs[i].Import >= 0, d.Ready(uint32(i)))
	}
	for i := range d.Mod.Tables {
		val(d.Mod.Tables[i].Type)
		flag(d.Mod.Tables[i].Limits.Is64)
	}
	for i := range d.Mod.Mems {
		l := &d.Mod.Mems[i].Limits
		flag(l.Is64, l.Shared)
	}
	for i := range d.Mod.Globals {
		val(d.Mod.Globals[i].Type)
		flag(d.Mod.Globals[i].Mut)
	}
	for i := range d.Mod.Tags {
		typ(d.Mod.Tags[i].Type)
	}
	for i := range d.Mod.Elems {
		val(d.Mod.Elems[i].Type)
	}
	for _, e := range d.Mod.Exports {
		if e.Kind == wasm.ExternFunc {
			u32(e.Index)
		}
	}
	h.WriteByte(0xfc)
	refs := func(body []wasm.Instr) {
		for i := range body {
			if body[i].Op == wasm.OpRefFunc {
				u32(body[i].A)
			}
		}
	}
	for i := range d.Mod.Elems {
		refs(d.Mod.Elems[i].Offset)
		for _, e := range d.Mod.Elems[i].Init {
			refs(e)
		}
	}
	for i := range d.Mod.Globals {
		refs(d.Mod.Globals[i].Init)
	}
	for i := range d.Mod.Tables {
		refs(d.Mod.Tables[i].Init)
	}
	deps := make([]string, 0, len(d.Deprecated))
	for s, words := range d.Deprecated {
		deps = append(deps, s.Space.String()+strconv.Itoa(int(s.Index))+words)
	}
	slices.Sort(deps)
	for _, s := range deps {
		h.WriteString(s)
		h.WriteByte(0)
	}
	d.Hash = h.Sum64()
}

package binary

import "stackscope/wasm"

// What stands for the kind, after an empty item name, in a group of imports (proposal
// compact-import-section). The encoder writes single imports: any engine takes these.
const (
	groupTyped  = 0x7f // names and types follow
	groupShared = 0x7e // a type and names follow
)

// imports reads an entry of the import section: one import, or a group from one module.
func (d *decoder) imports() {
	im := wasm.Import{At: d.at()}
	im.Module, im.Name = d.name(), d.name()
	kind := byte(0)
	if d.err == nil && im.Name == "" && !d.eof() {
		kind = d.b[d.pos]
	}
	switch kind {
	case groupTyped:
		d.pos++
		for n := d.count(); n > 0 && d.err == nil; n-- {
			im.At = d.at()
			im.Name = d.name()
			d.imported(im, d.externType())
		}
	case groupShared:
		d.pos++
		x := d.externType()
		for n := d.count(); n > 0 && d.err == nil; n-- {
			im.At = d.at()
			im.Name = d.name()
			d.imported(im, x)
		}
	default:
		d.imported(im, d.externType())
	}
}

// externType is what an import describes: one of them, by the kind.
type externType struct {
	kind   wasm.ExternKind
	typ    uint32 // of a function or tag
	table  wasm.Table
	mem    wasm.Limits
	global wasm.Global
}

func (d *decoder) externType() (x externType) {
	at := d.pos
	x.kind = wasm.ExternKind(d.byte())
	switch x.kind {
	case wasm.ExternFunc:
		x.typ = d.u32()
	case wasm.ExternTable:
		x.table = wasm.Table{Type: d.refType(), Limits: d.limits()}
	case wasm.ExternMemory:
		x.mem = d.limits()
	case wasm.ExternGlobal:
		x.global = d.globalType()
	case wasm.ExternTag:
		x.typ = d.tagType()
	default:
		d.fail(at, "malformed import kind")
	}
	return x
}

// imported adds an import to the module, and what it stands for to its index space.
func (d *decoder) imported(im wasm.Import, x externType) {
	if d.err != nil {
		return
	}
	m := d.m
	i := int32(len(m.Imports))
	im.Kind = x.kind
	switch x.kind {
	case wasm.ExternFunc:
		im.Index = uint32(len(m.Funcs))
		m.Funcs = append(m.Funcs, wasm.Func{Type: x.typ, Import: i, At: im.At})
	case wasm.ExternTable:
		im.Index = uint32(len(m.Tables))
		x.table.Import, x.table.At = i, im.At
		m.Tables = append(m.Tables, x.table)
	case wasm.ExternMemory:
		im.Index = uint32(len(m.Mems))
		m.Mems = append(m.Mems, wasm.Memory{Limits: x.mem, Import: i, At: im.At})
	case wasm.ExternGlobal:
		im.Index = uint32(len(m.Globals))
		x.global.Import, x.global.At = i, im.At
		m.Globals = append(m.Globals, x.global)
	case wasm.ExternTag:
		im.Index = uint32(len(m.Tags))
		m.Tags = append(m.Tags, wasm.Tag{Type: x.typ, Import: i, At: im.At})
	}
	m.Imports = append(m.Imports, im)
}

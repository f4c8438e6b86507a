package lang

import (
	"encoding/binary"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// Managed is what is known of the objects that the runtime of AssemblyScript keeps in memory:
// the class of each id, from the function that visits the members of an object and from
// constructors, and the fields of each class, from the functions that get and set them.
type Managed struct {
	types  map[uint32]*debuginfo.Type // by id
	byName map[string]*debuginfo.Type
	fields map[string]map[int64]debuginfo.Field // by class and offset
	refs   map[string]map[int64]bool            // fields that are references
}

// The header of an object: its id and its size stand before it.
const (
	managedID   = 8
	managedSize = 4
)

// ReadManaged reads the classes of a module; nil: none are known.
func ReadManaged(m *wasm.Module) *Managed {
	g := &Managed{
		types: map[uint32]*debuginfo.Type{}, byName: map[string]*debuginfo.Type{},
		fields: map[string]map[int64]debuginfo.Field{}, refs: map[string]map[int64]bool{},
	}
	ids := map[uint32]string{0: "Object", 1: "~lib/arraybuffer/ArrayBuffer", 2: "~lib/string/String"}
	visit := false
	for fn := range m.Funcs {
		name := m.Names.Funcs[uint32(fn)]
		body := m.Funcs[fn].Body
		switch {
		case strings.HasSuffix(name, "__visit_members"):
			visit = true
			visited(m, body, ids)
		case strings.HasSuffix(name, "#constructor"):
			made(m, strings.TrimSuffix(name, "#constructor"), body, ids)
		case strings.Contains(name, "#get:"), strings.Contains(name, "#set:"):
			g.accessor(m, name, body)
		case strings.HasSuffix(name, "~visit"):
			g.visitor(strings.TrimSuffix(name, "~visit"), body)
		}
	}
	if !visit {
		return nil
	}
	for id, name := range ids {
		g.types[id] = g.class(name)
	}
	return g
}

// visited reads the table of the function that visits the members of an object: the code after the
// nth end calls what visits those of the class.
func visited(m *wasm.Module, body []wasm.Instr, ids map[uint32]string) {
	at := -1
	for pc := range body {
		if body[pc].Op == wasm.OpBrTable {
			at = pc
			break
		}
	}
	if at < 0 {
		return
	}
	id := uint32(0)
	for pc := at + 1; pc < len(body) && id < 10000; pc++ {
		if body[pc].Op != wasm.OpEnd {
			continue
		}
		for k := pc + 1; k < len(body) && k < pc+4; k++ {
			if body[k].Op == wasm.OpCall {
				if class, ok := strings.CutSuffix(m.Names.Funcs[body[k].A], "~visit"); ok {
					ids[id] = class
				}
			}
			if body[k].Op != wasm.OpLocalGet {
				break
			}
		}
		id++
	}
}

// made reads the id that a constructor makes an object with.
func made(m *wasm.Module, class string, body []wasm.Instr, ids map[uint32]string) {
	for pc := 2; pc < len(body) && pc < 200; pc++ {
		if body[pc].Op == wasm.OpCall && strings.HasSuffix(m.Names.Funcs[body[pc].A], "/__new") &&
			body[pc-1].Op == wasm.OpI32Const {
			if id := uint32(body[pc-1].Imm); id > 2 && id < 1<<20 {
				ids[id] = class
			}
			return
		}
	}
}

// accessor reads a function that gets or sets a field.
func (g *Managed) accessor(m *wasm.Module, name string, body []wasm.Instr) {
	class, rest, _ := strings.Cut(name, "#")
	field := rest[len("get:"):]
	for pc := range body {
		in := &body[pc]
		if i := in.Op.Info(); len(i.Imms) == 0 || i.Imms[0] != wasm.ImmMemArg {
			if in.Op == wasm.OpCall && strings.HasSuffix(m.Names.Funcs[in.A], "/__link") {
				for at, f := range g.fields[class] {
					if f.Name == field {
						g.ref(class, at)
					}
				}
			}
			continue
		}
		t := accessType(in.Op)
		if t == nil || pc > 4 {
			continue
		}
		if g.fields[class] == nil {
			g.fields[class] = map[int64]debuginfo.Field{}
		}
		at := int64(in.Imm)
		if old, ok := g.fields[class][at]; !ok || old.Type.Kind == debuginfo.KindInt {
			g.fields[class][at] = debuginfo.Field{Name: field, Type: t, Offset: at}
		}
	}
}

// visitor reads which fields a class's function visits: those are references.
func (g *Managed) visitor(class string, body []wasm.Instr) {
	for pc := 1; pc < len(body); pc++ {
		if body[pc].Op == wasm.OpI32Load && body[pc-1].Op == wasm.OpLocalGet && body[pc-1].A == 0 {
			g.ref(class, int64(body[pc].Imm))
		}
	}
}

func (g *Managed) ref(class string, at int64) {
	if g.refs[class] == nil {
		g.refs[class] = map[int64]bool{}
	}
	g.refs[class][at] = true
}

// accessType returns the type that an instruction loads or stores; nil: it does neither.
func accessType(op wasm.Op) *debuginfo.Type {
	name := ""
	switch op {
	case wasm.OpI32Load, wasm.OpI32Store:
		name = "i32"
	case wasm.OpI64Load, wasm.OpI64Store:
		name = "i64"
	case wasm.OpF32Load, wasm.OpF32Store:
		name = "f32"
	case wasm.OpF64Load, wasm.OpF64Store:
		name = "f64"
	case wasm.OpI32Load8S, wasm.OpI32Store8:
		name = "i8"
	case wasm.OpI32Load8U:
		name = "u8"
	case wasm.OpI32Load16S, wasm.OpI32Store16:
		name = "i16"
	case wasm.OpI32Load16U:
		name = "u16"
	}
	return basic(debuginfo.AssemblyScript, name)
}

// managedReference is the type of a reference to an object whose class is found out when it is looked at.
var managedReference = &debuginfo.Type{
	Kind: debuginfo.KindPointer, Language: debuginfo.AssemblyScript, Name: "object", Size: 4,
}

// class returns the type of a class by its name in the module.
func (g *Managed) class(name string) *debuginfo.Type {
	if t := g.byName[name]; t != nil {
		return t
	}
	t := &debuginfo.Type{
		Kind: debuginfo.KindStruct, Language: debuginfo.AssemblyScript, Word: "class", Name: name,
	}
	g.byName[name] = t
	u32 := basic(debuginfo.AssemblyScript, "u32")
	size := debuginfo.Field{Name: "rtSize", Type: u32, Offset: -managedSize, Artificial: true}
	element := func() *debuginfo.Type { return g.named(argument(name, 0)) }
	pointer := &debuginfo.Type{
		Kind: debuginfo.KindPointer, Language: debuginfo.C, Size: 4, Target: element,
	}
	var fs []debuginfo.Field
	switch {
	case strings.HasPrefix(name, "~lib/array/Array<"):
		fs = []debuginfo.Field{
			{Name: "buffer", Type: managedReference}, {Name: "dataStart", Type: pointer, Offset: 4},
			{Name: "byteLength", Type: u32, Offset: 8}, {Name: "length_", Type: u32, Offset: 12},
		}
	case strings.HasPrefix(name, "~lib/typedarray/"):
		element = func() *debuginfo.Type { return typedElement(name) }
		pointer.Target = element
		fs = []debuginfo.Field{
			{Name: "buffer", Type: managedReference}, {Name: "dataStart", Type: pointer, Offset: 4},
			{Name: "byteLength", Type: u32, Offset: 8},
		}
	case name == "~lib/string/String", name == "~lib/arraybuffer/ArrayBuffer",
		strings.HasPrefix(name, "~lib/staticarray/StaticArray<"):
		to := basic(debuginfo.AssemblyScript, "u8")
		if strings.Contains(name, "<") {
			to = g.named(argument(name, 0))
		}
		fs = []debuginfo.Field{{Name: "data", Type: &debuginfo.Type{
			Kind: debuginfo.KindArray, Language: debuginfo.AssemblyScript, Count: 0,
			Target: func() *debuginfo.Type { return to },
		}}}
	case strings.HasPrefix(name, "~lib/map/Map<"), strings.HasPrefix(name, "~lib/set/Set<"):
		fs = []debuginfo.Field{
			{Name: "buckets", Type: managedReference}, {Name: "bucketsMask", Type: u32, Offset: 4},
			{Name: "entries", Type: g.entries(name), Offset: 8}, {Name: "entriesCapacity", Type: u32, Offset: 12},
			{Name: "entriesOffset", Type: u32, Offset: 16}, {Name: "entriesCount", Type: u32, Offset: 20},
		}
	default:
		for _, base := range []string{name} {
			for at := int64(0); at < 4096; at++ {
				f, ok := g.fields[base][at]
				switch {
				case g.refs[base][at] && ok:
					f.Type = managedReference
				case g.refs[base][at]:
					f = debuginfo.Field{Name: "at" + itoa(at), Type: managedReference, Offset: at}
				case !ok:
					continue
				}
				fs = append(fs, f)
			}
		}
	}
	fs = append(fs, size)
	for _, f := range fs {
		t.Size = max(t.Size, f.Offset+max(sizeOf(f.Type), 0))
	}
	t.Members = func() []debuginfo.Field { return fs }
	return t
}

func itoa(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// Class returns the type of a class by its name in the module; nil: nothing is known of it.
func (g *Managed) Class(name string) *debuginfo.Type {
	if g == nil || g.fields[name] == nil && g.refs[name] == nil && g.byName[name] == nil {
		return nil
	}
	return g.class(name)
}

// entries returns the type of the entries of a map or set.
func (g *Managed) entries(name string) *debuginfo.Type {
	var fs []debuginfo.Field
	at, align := int64(0), int64(4)
	add := func(n string, t *debuginfo.Type) {
		size := max(sizeOf(t), 1)
		align = max(align, size)
		at = (at + size - 1) / size * size
		fs = append(fs, debuginfo.Field{Name: n, Type: t, Offset: at})
		at += size
	}
	add("key", g.named(argument(name, 0)))
	if strings.HasPrefix(name, "~lib/map/") {
		add("value", g.named(argument(name, 1)))
	}
	add("taggedNext", basic(debuginfo.AssemblyScript, "u32"))
	entry := &debuginfo.Type{
		Kind: debuginfo.KindStruct, Language: debuginfo.AssemblyScript, Name: "Entry",
		Size: (at + align - 1) / align * align, Members: func() []debuginfo.Field { return fs },
	}
	list := &debuginfo.Type{
		Kind: debuginfo.KindArray, Language: debuginfo.AssemblyScript, Count: 0,
		Target: func() *debuginfo.Type { return entry },
	}
	buffer := &debuginfo.Type{
		Kind: debuginfo.KindStruct, Language: debuginfo.AssemblyScript, Name: "Entries", Size: 1,
		Members: func() []debuginfo.Field { return []debuginfo.Field{{Name: "list", Type: list}} },
	}
	return &debuginfo.Type{
		Kind: debuginfo.KindPointer, Language: debuginfo.C, Size: 4, Target: func() *debuginfo.Type { return buffer },
	}
}

// named returns a type by its name in the module: a number type, or a reference to a class.
func (g *Managed) named(name string) *debuginfo.Type {
	if t := basic(debuginfo.AssemblyScript, name); t != nil {
		return t
	}
	return managedReference
}

// argument returns a template argument of a name.
func argument(name string, n int) string {
	i, j := strings.IndexByte(name, '<'), strings.LastIndexByte(name, '>')
	if i < 0 || j < i {
		return ""
	}
	args, depth, from := name[i+1:j], 0, 0
	for k := 0; k <= len(args); k++ {
		switch {
		case k == len(args) || args[k] == ',' && depth == 0:
			if n == 0 {
				return args[from:k]
			}
			n--
			from = k + 1
		case args[k] == '<':
			depth++
		case args[k] == '>':
			depth--
		}
	}
	return ""
}

// typedElement returns the type of the elements of a typed array.
func typedElement(name string) *debuginfo.Type {
	for prefix, t := range map[string]string{
		"Int8": "i8", "Uint8": "u8", "Int16": "i16", "Uint16": "u16", "Int32": "i32", "Uint32": "u32", "Int64": "i64",
		"Uint64": "u64", "Float32": "f32", "Float64": "f64",
	} {
		if strings.HasPrefix(name, "~lib/typedarray/"+prefix) {
			return basic(debuginfo.AssemblyScript, t)
		}
	}
	return basic(debuginfo.AssemblyScript, "u8")
}

// at returns the class of the object at an address; nil: there is none.
func (g *Managed) at(m Memory, addr uint64) *debuginfo.Type {
	if g == nil || m == nil || addr < 20 || addr%8 != 0 || addr >= m.Size() {
		return nil
	}
	var b [20]byte
	if !m.Read(addr-20, b[:]) {
		return nil
	}
	le := binary.LittleEndian
	block := uint64(le.Uint32(b[0:]) &^ 3)
	size := uint64(le.Uint32(b[16:]))
	next, prev := uint64(le.Uint32(b[4:])), uint64(le.Uint32(b[8:]))
	t := g.types[le.Uint32(b[12:])]
	switch {
	case t == nil, size > m.Size()-addr, block < size+16, block > m.Size(), next >= m.Size(), prev >= m.Size():
		return nil
	}
	return t
}

// Object returns a number as a reference to an object of AssemblyScript, if it is one.
func (v Value) Object() Value {
	if v.env.Managed == nil || v.form != formBytes || v.lang != debuginfo.AssemblyScript || len(v.data) != 4 ||
		kindOf(v.typ) != debuginfo.KindInt {
		return v
	}
	if v.env.Managed.at(v.env.Memory, getLE(v.data)) != nil {
		v.typ = managedReference
	}
	return v
}

// managedTarget returns the class of what a reference of AssemblyScript refers to; nil: it is none.
func managedTarget(v Value) *debuginfo.Type {
	if v.env.Managed == nil || debuginfo.Strip(v.typ) != managedReference || v.unknown {
		return nil
	}
	n, err := v.word()
	if err != nil {
		return nil
	}
	return v.env.Managed.at(v.env.Memory, n)
}

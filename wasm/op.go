package wasm

// Op is an instruction: a key into the one instruction table. The key of a mnemonic is
// (dialect, name): five designs share names such as `switch` and `fiber.new`.
type Op uint16

// NoEncoding is the Enc of an instruction that has no binary encoding.
const NoEncoding = ^uint32(0)

// Imm is the kind of an immediate. An instruction lists its immediates in the order of the text
// format; Op.BinarySwapped reports where the binary format differs.
type Imm uint8

// The kinds of immediates, with the field of Instr that holds them. Index immediates fill A, then
// B.
const (
	ImmBlock          Imm = iota + 1 // block type: Imm, see BlockType
	ImmType                          // type index
	ImmTypeUse                       // type use: type index
	ImmFunc                          // function index
	ImmTable                         // table index (optional in text: 0)
	ImmMemory                        // memory index (optional in text: 0)
	ImmGlobal                        // global index
	ImmLocal                         // local index
	ImmLabel                         // label, as relative depth
	ImmLabels                        // br_table's labels, the default last: Ext.Labels
	ImmTag                           // tag index
	ImmElem                          // element segment index
	ImmData                          // data segment index
	ImmField                         // field index of the struct type in A
	ImmU32                           // an unsigned 32-bit number: B
	ImmI32                           // Imm, zero-extended
	ImmI64                           // Imm
	ImmF32                           // bits in Imm
	ImmF64                           // bits in Imm
	ImmV128                          // low half in Imm, high half in Ext.Hi
	ImmLane                          // lane index: Lane
	ImmLanes                         // sixteen lane indices of i8x16.shuffle: as ImmV128, lane 0 lowest
	ImmMemArg                        // memory index: A, offset: Imm, log2 of the alignment: Align
	ImmResults                       // select's result types: Ext.Types, nil if absent
	ImmHeapType                      // ref.null's heap type, as the nullable reference type: Imm
	ImmRefType                       // a reference type: Imm, a second one in Ext.Types[0]
	ImmCatches                       // try_table's clauses: Ext.Catches
	ImmHandlerClauses                // handler clauses of cont: Ext.HandlerClauses
	ImmClauses                       // (tag label) or (tag func) clauses of the other dialects: Ext.HandlerClauses
)

// Effect is what an instruction does to control and to stacks.
type Effect uint8

// The effects.
const (
	EffectNone     Effect = iota
	EffectTrap            // always traps
	EffectBlock           // structured control: begins, divides or ends a block
	EffectBranch          // may continue at a label
	EffectReturn          // leaves the function
	EffectThrow           // throws an exception
	EffectCall            // runs another function on this stack
	EffectTailCall        // runs another function in place of this one
	EffectNew             // creates a stack; Then reports whether control goes to it as well
	EffectBind            // consumes a reference to a stack, gives another to the same stack
	EffectResume          // control goes to a stack, which becomes a child of this one
	EffectSuspend         // control goes to an ancestor; this stack is suspended
	EffectSwitch          // control goes to a peer; this stack is suspended
	EffectRetire          // control goes to another stack; this one ends
	EffectRelease         // ends another stack
)

// OpInfo is a row of the instruction table.
type OpInfo struct {
	Name    string  // the mnemonic
	Dialect Dialect // the design it belongs to; DialectNone for Wasm 3.0
	Legacy  bool    // of the deprecated first version of exception handling
	Enc     uint32  // prefix byte << 16 | opcode, or the opcode alone; NoEncoding if it has none
	Imms    []Imm   // immediates, in text order
	Align   uint8   // log2 of the natural alignment of a memory access
	Addr    bool    // the first operand is an address: i64 on a 64-bit memory

	Fixed           bool      // Params and Results are the whole type
	Params, Results []ValType // the type of a Fixed row
	Sig             string    // the type of the other rows, in the specification's notation

	Effect Effect
	// Then is where control goes with EffectNew and EffectRetire: to the stack that was made as a
	// child (EffectResume) or as a peer (EffectSwitch), to the parent of the one that ends
	// (EffectSuspend) or to a peer of it (EffectSwitch). EffectNone means that it stays.
	Then Effect
	// Throws reports that an exception is thrown where control goes; Leaves that it leaves its
	// function, and that the stack calls another function when control comes back.
	Throws, Leaves bool
	Doc            string // one line of documentation
}

// Info returns the row of an instruction. An Op beyond the table gives the row of OpInvalid.
func (op Op) Info() *OpInfo {
	if op >= NumOps {
		op = OpInvalid
	}
	return &table[op]
}

// String returns the mnemonic.
func (op Op) String() string {
	if n := op.Info().Name; n != "" {
		return n
	}
	return "invalid"
}

// BinarySwapped reports whether the binary format has the two index immediates of the instruction
// the other way round.
func (op Op) BinarySwapped() bool {
	switch op {
	case OpCallIndirect, OpReturnCallIndirect, OpTableInit, OpMemoryInit:
		return true
	}
	return false
}

// Signature returns the type in the specification's notation, for people.
func (op Op) Signature() string {
	in := op.Info()
	if !in.Fixed {
		return in.Sig
	}
	s := "["
	for i, t := range in.Params {
		if i > 0 {
			s += " "
		}
		if i == 0 && in.Addr {
			s += "it"
		} else {
			s += t.String()
		}
	}
	s += "] -> ["
	for i, t := range in.Results {
		if i > 0 {
			s += " "
		}
		s += t.String()
	}
	return s + "]"
}

// OpensBlock reports whether the instruction begins a block that `end` (or `delegate`) closes.
func (op Op) OpensBlock() bool {
	switch op {
	case OpBlock, OpLoop, OpIf, OpTry, OpTryTable, OpBarrier, OpHandle:
		return true
	}
	return false
}

// opIndex is the look-up from mnemonics to instructions.
type opIndex struct {
	byName map[string][]Op
	names  []string
}

// ops is computed once from the table and never changes.
var ops = newOps()

func newOps() *opIndex {
	o := &opIndex{byName: make(map[string][]Op, NumOps)}
	for op := Op(1); op < NumOps; op++ {
		n := table[op].Name
		if o.byName[n] == nil {
			o.names = append(o.names, n)
		}
		o.byName[n] = append(o.byName[n], op)
	}
	return o
}

// Lookup returns the instructions with the mnemonic, in table order: several where dialects share
// it, nil if there is none. The result must not be changed.
func Lookup(name string) []Op { return ops.byName[name] }

// LookupBytes is Lookup without a conversion.
func LookupBytes(name []byte) []Op { return ops.byName[string(name)] }

// Mnemonics returns every mnemonic once, in table order. The result must not be changed.
func Mnemonics() []string { return ops.names }

// In returns the instruction of the same mnemonic in a dialect, and whether that dialect has it.
// An instruction of Wasm 3.0 is in every dialect.
func (op Op) In(d Dialect) (Op, bool) {
	in := op.Info()
	if in.Dialect == DialectNone || in.Dialect == d {
		return op, op != OpInvalid
	}
	for _, o := range ops.byName[in.Name] {
		if table[o].Dialect == d {
			return o, true
		}
	}
	return op, false
}

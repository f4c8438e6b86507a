package main

// switchBy returns what a switch does: a function of the machine reports where execution goes on.
func switchBy(function string) string {
	return "if budget <= 0 { goto baseline }\nSYNC\ns, fr, o = v." + function + "(m, o)\nif s == nil { goto refused }\nbudget = v.budget - 1\ngoto into"
}

// byHand are the ops that stand alone.
var byHand = []def{
	{"Loop", "", "if budget <= 0 { goto pause }; budget--"},
	// the entries follow as jumps: a indexes them, imm is the number of the last
	{
		"Table", "an table",
		"p = unsafe.Add(unsafe.Pointer(o), uintptr(min(A32, I32)+1)*code.OpSize)\no = (*code.Op)(unsafe.Add(p, int(int32((*code.Op)(p).Imm)))); goto next",
	},
	{"Move", "moves", "br = &v.cd.Branches[I]\ngoto move"},
	{"BrNull", "ar moves", "if AR.obj == nil { br = &v.cd.Branches[I]; goto move }"},
	{"BrNonNull", "ar moves", "if AR.obj != nil { br = &v.cd.Branches[I]; goto move }"},

	// calls: the arguments from a, b on; the pc in the high half of imm
	{"Call", "", "callee = v.inst.funcs[I32]\ni = H32\ngoto enter"},
	{"CallIndirect", "cn", `
		t = v.inst.tables[0]
		x = C
		if x >= uint64(len(t.elems)) || t.elems[x].obj == nil { goto baseline }
		callee = t.elems[x].asFunc()
		i = H32
		if uint32(callee.canon) != I32 { goto baseline }
		goto enter`},
	{"CallRef", "cr", `
		if CR.obj == nil || budget <= 0 { goto baseline }
		callee = CR.asFunc()
		if callee.code == nil || callee.code.FusedBase == nil { goto baseline }
		i = H32
		goto enter`},
	// returns: of one number in b, which the baseline form has in a; of none; of others
	{"Ret1", "an bn", "x = B\ngoto ret"},
	{
		"Ret0", "",
		"if v.depth == 1 { SYNC\ns, fr, o = v.fusedFinish(m, 0, 0, 0, 0)\nif s == nil { goto refused }\nbudget = v.budget; goto into }\ngoto leave",
	},
	{"Ret", "", `
		if v.depth == 1 {
			SYNC
			s, fr, o = v.fusedFinish(m, v.o.A, v.o.C, v.o.B, uint16(v.o.Imm))
			if s == nil { goto refused }
			budget = v.budget
			goto into
		}
		for i = 0; i < uint32(o.C); i++ {
			*(*uint64)(unsafe.Add(f, uintptr(i)*8)) = *(*uint64)(unsafe.Add(f, uintptr(uint32(o.A)+i)*8))
		}
		if v.cd.Refs != 0 {
			SYNC
			returnRefs(v.r, uint32(v.o.B), uint32(v.o.Imm), v.cd.Refs)
			budget, mb, ml = v.budget, v.mb, v.ml
			goto left
		}
		goto leave`},

	// the switches: the arguments from a, b on, the continuation in c; see switch_cont_fused.go
	{"Resume", "cr", switchBy("fusedResume")},
	{"Suspend", "", switchBy("fusedSuspend")},
	{"Switch", "cr", switchBy("fusedSwitch")},
	{"StackSwitch", "cr", switchBy("fusedStackSwitch")},
	{"ContNew", "br", "SYNC\nif v.fusedNew(m, o, BR.asFunc(), &m.pool[contDialect]) == nil { goto refused }\nUNSYNC"},
	{
		"New", "br",
		"if budget <= 0 { goto baseline }\nSYNC\nif v.fusedMake(m, o) == nil { goto refused }\nUNSYNC\nbudget--",
	},

	// those with events: the values from a, b on, the stack (of Exchange two) in c; see
	// switch_event_fused.go
	{"Mount", "cr", switchBy("fusedMount")},
	{"Dismount", "cr", switchBy("fusedDismount")},
	{"Exchange", "cr", switchBy("fusedExchange")},
	{"Enter", "", switchBy("fusedEnter")},
	// the pending event's branch; imm is the first of the branches
	{
		"Events", "",
		"if v.s.pending <= 0 { goto baseline }\nbr = &v.cd.Branches[o.Imm+uint64(v.s.pending)-1]\nv.s.pending = 0\ngoto move",
	},

	{"MovR", "ar br", "*AR = *BR"},
	{"TakeR", "ar br", "*AR = *BR\n*BR = Ref{}"},
	{"ClearR", "ar", "*AR = Ref{}"},
	{"SelR", "ar br cn", "if C32 == 0 { *AR = *BR }\n*BR = Ref{}"},
	{"GlobalGetR", "ar", "*AR = v.inst.globals[I].ref"},
	{"GlobalSetR", "ar", "v.inst.globals[I].ref = *AR\n*AR = Ref{}"},
	{
		"TableGet", "an br",
		"t = v.inst.tables[I]\nx = A\nif x >= uint64(len(t.elems)) { TRAP(TableOutOfBounds) }\n*BR = t.elems[x]",
	},
	{
		"TableSet", "an br",
		"t = v.inst.tables[I]\nx = A\nif x >= uint64(len(t.elems)) { TRAP(TableOutOfBounds) }\nt.elems[x] = *BR\n*BR = Ref{}",
	},
	{"RefIsNull", "an br", truth("A", "BR.obj == nil") + "\n*BR = Ref{}"},
	{"RefFunc", "ar", "*AR = Ref{obj: &v.inst.funcs[I].object}"},
	{"RefEq", "an br cr", "SYNC\nx = refEq(v.r, v.o.B, v.o.C)\nUNSYNC\nA = x"},
	{"RefAsNonNull", "ar", "if AR.obj == nil { TRAP(NullReference) }"},

	{"Numeric", "an bn cn", "SYNC\nx, tk = num.Do(wasm.Op(I), B, C)\nUNSYNC\nif tk != 0 { goto trap }\nA = x"},
	{"Object", "", "SYNC\ntk = v.fusedObject(m)\nUNSYNC\nif tk != 0 { goto trap }"},
	{
		"Bulk", "",
		"if budget <= 0 { goto pause }\nbudget--\nSYNC\ntk = v.fusedBulk(m)\no, f, budget = v.o, v.f.p, v.budget\nif tk != 0 { goto trap }\no = (*code.Op)(unsafe.Add(unsafe.Pointer(o), code.OpSize))\ngoto memory",
	},
	{"SIMD", "", "SYNC\ntk = v.fusedVector(m)\nUNSYNC\nif tk != 0 { goto trap }"},
	{
		"Wide", "",
		"SYNC\ntk = wideAccess(v.cd.Body[v.fusedPC()].Op, v.inst.mems[v.o.C], v.o, v.f)\nUNSYNC\nif tk != 0 { goto trap }",
	},
	// whatever is left: it is executed in the baseline form
	{"Baseline", "", "goto baseline"},
}

package valid_test

import (
	"fmt"

	"stackscope/wasm"
	"stackscope/wasm/valid"
)

// add returns a module with one function, [i32 i32] -> [i32], and a body.
func add(body ...wasm.Instr) *wasm.Module {
	return &wasm.Module{
		Types: []wasm.SubType{{
			Kind: wasm.CompFunc, Final: true,
			Params: []wasm.ValType{wasm.I32, wasm.I32}, Results: []wasm.ValType{wasm.I32},
		}},
		Recs:  []wasm.RecGroup{{Start: 0, Len: 1}},
		Funcs: []wasm.Func{{Type: 0, Import: -1, Body: append(body, wasm.Instr{Op: wasm.OpEnd})}},
		Names: wasm.NewNames(), Start: wasm.BadIndex,
	}
}

func ExampleEnv_Module() {
	m := add(wasm.Instr{Op: wasm.OpLocalGet, A: 0}, wasm.Instr{Op: wasm.OpI32Add})
	valid.New(m).Module(func(e valid.Error) {
		fmt.Printf("function %d, instruction %d: %s\n", e.Place.Index, e.Place.Instr, e.Code)
		fmt.Println(e.Msg)
	})
	// Output:
	// function 0, instruction 1: type-mismatch
	// type mismatch: instruction requires [i32 i32] but stack has [i32] (i32.add)
}

func ExampleTyper() {
	m := add(
		wasm.Instr{Op: wasm.OpLocalGet, A: 0}, wasm.Instr{Op: wasm.OpLocalGet, A: 1},
		wasm.Instr{Op: wasm.OpI32Add},
	)
	t := valid.New(m).NewTyper(nil)
	t.Begin(0)
	for i := range m.Funcs[0].Body {
		in := &m.Funcs[0].Body[i]
		t.Step(in)
		fmt.Println(in.Op, t.Operands())
	}
	t.End()
	// Output:
	// local.get [i32]
	// local.get [i32 i32]
	// i32.add [i32]
	// end [i32]
}

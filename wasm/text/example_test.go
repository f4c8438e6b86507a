package text_test

import (
	"fmt"

	"stackscope/wasm"
	"stackscope/wasm/text"
)

func ExamplePrint() {
	m := &wasm.Module{
		Types: []wasm.SubType{{Kind: wasm.CompFunc, Final: true, Results: []wasm.ValType{wasm.I32}}},
		Recs:  []wasm.RecGroup{{Start: 0, Len: 1}},
		Funcs: []wasm.Func{{Type: 0, Import: -1, Body: []wasm.Instr{{Op: wasm.OpI32Const, Imm: 7}, {Op: wasm.OpEnd}}}},
		Names: wasm.NewNames(), Start: wasm.BadIndex,
	}
	src, places := text.Print(m, text.Options{NoComments: true})
	fmt.Println(src)
	at := places.Instrs[0][0]
	fmt.Println(src[at.From:at.To])
	// Output:
	// (module
	//   (type (func (result i32)))
	//   (func (type 0) (result i32)
	//     i32.const 7))
	//
	// i32.const 7
}

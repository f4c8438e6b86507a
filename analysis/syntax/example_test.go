package syntax_test

import (
	"fmt"

	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

func ExampleParse() {
	t := syntax.Parse(source.NewFile("f.wat", "(module (func $f (i32.add (i32.const 1) (i32.cnst 2)))"))
	for _, d := range t.Errors() {
		fmt.Println(d.Message)
	}
	// Output:
	// unexpected token: the text ends before the module does: `)` is missing
}

func ExampleFormatAll() {
	f := source.NewFile("f.wat", "(module\n(func $f(result i32)\ni32.const 1))\n")
	t := syntax.Parse(f)
	out, _ := source.ApplyAll(f.Text, syntax.FormatAll(t, syntax.FormatOptions{}))
	fmt.Print(out)
	// Output:
	// (module
	//   (func $f (result i32)
	//     i32.const 1))
}

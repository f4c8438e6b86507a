package source_test

import (
	"fmt"

	"stackscope/analysis/source"
)

func ExampleFile_Position() {
	f := source.NewFile("f.wat", "(module\n  (; 😀 ;) (func))\n")
	off := len("(module\n  (; 😀 ;) ")
	fmt.Println(f.Position(off, source.UTF8), f.Position(off, source.UTF16))
	// Output:
	// {1 13} {1 11}
}

package diag_test

import (
	"fmt"

	"stackscope/analysis/diag"
)

func ExampleLookup() {
	fmt.Println(diag.Lookup(diag.UnknownImport).Title)
	// Output:
	// a name that the imported module does not export
}

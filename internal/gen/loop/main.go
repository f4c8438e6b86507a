// Command loop writes the dispatch loop of the register form: vm/fast_codes.go, the codes with the
// roles of their operands, and vm/fast_loop.go, the loop with a case for each. Run it with
// `go generate ./vm`. The compiler inlines next to nothing into a function of this size, so what
// would be helpers are macros here.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", ".", "the folder of the package vm")
	flag.Parse()
	files, err := generate()
	if err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		os.Exit(1)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "loop:", err)
			os.Exit(1)
		}
	}
}

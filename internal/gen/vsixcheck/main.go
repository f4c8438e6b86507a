// Command vsixcheck checks packages of the VS Code extension: each names its platform and has the
// programs for it. Given several, they are all platforms, each once.
package main

import (
	"fmt"
	"os"
	"slices"

	"stackscope/internal/vsix"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: vsixcheck FILE.vsix…")
		os.Exit(2)
	}
	var seen []string
	for _, name := range os.Args[1:] {
		platform, err := check(name)
		if err == nil && slices.Contains(seen, platform) {
			err = fmt.Errorf("another package is for %s already", platform)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
		seen = append(seen, platform)
		fmt.Printf("%s: %s\n", name, platform)
	}
	if len(seen) > 1 && len(seen) != len(vsix.Platforms) {
		fmt.Fprintf(os.Stderr, "%d packages for %d platforms\n", len(seen), len(vsix.Platforms))
		os.Exit(1)
	}
}

func check(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	i, err := f.Stat()
	if err != nil {
		return "", err
	}
	return vsix.Check(f, i.Size())
}

// Package genfile is the main function that the generators of this tree share: it writes the files
// that a generator makes, or, with -check, compares them with what is there.
package genfile

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Main parses the command line, makes the files with generate, and writes them below the folder
// -dir, which has the given default. Names are relative to that folder. With -check it writes
// nothing: it prints the path of each file and fails if one differs. Generators are run by
// `go generate`, with the folder of the package that has the directive as the current one.
func Main(dir string, generate func() (map[string][]byte, error)) {
	name := filepath.Base(os.Args[0])
	to := flag.String("dir", dir, "write files below `FOLDER`")
	check := flag.Bool("check", false, "write nothing; print the paths of the files and fail if one is not current")
	flag.Parse()
	files, err := generate()
	if err == nil {
		err = place(files, *to, *check)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func place(files map[string][]byte, dir string, check bool) error {
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		path := filepath.Join(dir, n)
		if !check {
			if err := os.WriteFile(path, files[n], 0o644); err != nil {
				return err
			}
			continue
		}
		fmt.Println(path)
		is, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(is, files[n]) {
			return fmt.Errorf("%s is not current: run `go generate ./...`", path)
		}
	}
	return nil
}

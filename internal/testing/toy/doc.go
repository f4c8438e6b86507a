// Package toy tests that a dialect of stack switching is added by rows of the tables and one file a
// layer: it compiles the tree with a sixth dialect, which it has in testdata, and runs a program in
// it. The tree itself stays as it is. docs/design/adding-a-dialect.md lists the files.
package toy

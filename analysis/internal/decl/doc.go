// Package decl holds the declarations of a module: its items, their names and types, and all else
// that the bodies of its functions depend on.
//
// Decls is immutable once it is bound (package bind), and one value serves the snapshots of all
// edits that stay inside a body. A Resolver turns identifiers and numbers of one unit into indices,
// a TypeReader reads the types of one.
package decl

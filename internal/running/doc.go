// Package running keeps the list of programs on this machine that debuggers of the same user can
// attach to: a small file for each, in a directory that only the user can read. Add adds a program,
// List returns all.
package running

// Package dwarf reads DWARF 4 and 5 of modules.
package dwarf

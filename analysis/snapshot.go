package analysis

import (
	"sort"
	"sync"

	"stackscope/analysis/diag"
	"stackscope/analysis/internal/decl"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// Options are what a user may set.
type Options struct {
	// Dialect is the dialect of modules that do not declare one in an annotation. With DialectNone
	// the first construct that only one dialect has decides; DialectOff means WebAssembly 3.0
	// alone.
	Dialect wasm.Dialect
	// Severity overrides the table's severities. diag.Off drops the code.
	Severity map[diag.Code]diag.Severity
}

// Snapshot is one text, parsed and analysed.
type Snapshot struct {
	opts Options
	tree *syntax.Tree
	mods []*Module
	// (module quote …) and (module binary …), which have no fields of their own
	quotes, binaries []syntax.ModuleRange

	// The declarations of bare modules, by their number of units: a script may have very many of
	// them.
	empty [2]struct {
		once sync.Once
		d    *decl.Decls
	}

	scriptOnce sync.Once
	names      scriptNames // of the commands of a script

	once  sync.Once
	diags []diag.Diagnostic
	hints int // how many of them there were so far, before they are complete
}

// Tree returns the syntax tree.
func (s *Snapshot) Tree() *syntax.Tree { return s.tree }

// File returns the text.
func (s *Snapshot) File() *source.File { return s.tree.Src }

// Modules returns the text modules of the file in order: exactly one for a `.wat`, any number for a
// script. Modules that a script holds in binary or quoted are not among them.
func (s *Snapshot) Modules() []*Module { return s.mods }

// ModuleAt returns the module whose text holds the offset, or nil.
func (s *Snapshot) ModuleAt(off int) *Module {
	// Modules that touch both contain the offset: the first of them is meant.
	i := sort.Search(len(s.mods), func(i int) bool { return s.mods[i].Span().End >= off })
	if i < len(s.mods) && s.mods[i].Span().Contains(off) {
		return s.mods[i]
	}
	return nil
}

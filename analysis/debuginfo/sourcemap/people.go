package sourcemap

import (
	"stackscope/analysis/debuginfo"
)

// people fills in the name of a function for people, and whether the function is one of the runtime
// of its language.
func (r *Reader) people(fn uint32, f *debuginfo.Func) {
	switch r.lang {
	case debuginfo.Kotlin:
		f.Name = kotlinFunc(f.Linkage, r.m.Names.Locals[fn])
		f.Runtime = kotlinRuntime(f.Linkage, f.Rows)
	case debuginfo.AssemblyScript:
		f.Name = assemblyFunc(f.Linkage)
		f.Runtime = assemblyRuntime(f.Linkage, f.Rows)
	default:
		f.Runtime = ignored(f.Rows)
	}
}

// ignored reports whether all places are in files that are passed by.
func ignored(rows []debuginfo.Row) bool {
	any := false
	for _, row := range rows {
		if row.File == nil {
			continue
		}
		if !row.File.Ignored {
			return false
		}
		any = true
	}
	return any
}

// isPlaceholder reports whether a source only stands where a compiler has to name one: Kotlin's
// code that it generates is in `NATIVE_IMPLEMENTATIONS.kt`.
func isPlaceholder(s *Source) bool { return s.Content == nil && s.Raw == "NATIVE_IMPLEMENTATIONS.kt" }

package lower

import (
	"stackscope/analysis/internal/cursor"
	"stackscope/wasm"
)

// stackTypes returns the fixes for an instruction that lacks its stack type: the module's, if they
// are few.
func (l *immReader) stackTypes(kw uint32, info *wasm.OpInfo) (fixes []cursor.Fix) {
	if info.Dialect.Info().Type != wasm.CompStack || len(info.Imms) == 0 || info.Imms[0] != wasm.ImmType {
		return nil
	}
	const few = 16
	for i := range l.Decls.Explicit {
		if l.Decls.Mod.Types[i].Kind == wasm.CompStack {
			name := l.Decls.Mod.Names.Type(i)
			fixes = append(
				fixes,
				cursor.Fix{
					Title: "Insert " + name,
					Edits: []cursor.Edit{{At: l.Unit.After(kw), New: " " + name}}, Preferred: false,
				},
			)
		}
	}
	switch {
	case len(fixes) > few:
		return nil
	case len(fixes) == 1:
		fixes[0].Preferred = true
	}
	return fixes
}

package lower

import (
	"stackscope/analysis/internal/decl"
	"stackscope/wasm"
)

// inDialect returns the instruction of the module's dialect that a mnemonic means. One of another
// dialect is reported, and returns false.
func (l *immReader) inDialect(n uint32, op wasm.Op) (wasm.Op, bool) {
	d := l.Decls.Dialect
	if o, ok := op.In(d); ok {
		return o, true
	}
	if d == wasm.DialectNone { // several dialects have it, and nothing decides which is meant
		return op, true
	}
	kw := l.Unit.Keyword(n)
	l.Foreign(l.Unit.TokPlace(kw), "`"+l.Unit.TokText(kw)+"`", decl.DialectsOf(op.Info().Name)...)
	return op, false
}

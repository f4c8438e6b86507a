package lint

import (
	"stackscope/analysis/internal/cursor"
	"stackscope/analysis/internal/lower"
	"stackscope/wasm"
)

// rules has what each design asks of a body beyond its types. The files of the designs fill it in.
var rules [wasm.NumDialects]func(*lower.Body, cursor.Report)

// Rules reports what a body breaks of the rules of its dialect that the validator does not have.
func Rules(b *lower.Body, report cursor.Report) {
	if check := rules[b.Decls.Dialect]; check != nil {
		check(b, report)
	}
}

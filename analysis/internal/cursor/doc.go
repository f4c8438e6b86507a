// Package cursor reads the units of a text: tokens and nodes of one module field, walked part by
// part, and places in it.
//
// A Place counts from the first token of its unit, so it stays true while other units change. A
// Finding is a diagnostic at such places; analysis turns it into spans when it is asked for.
//
//	p := u.Parts(n)
//	p.Token(syntax.TokLParen)
//	p.Word("start")
//	if t, ok := p.IndexToken(); ok {
//		report(cursor.Finding{Code: diag.Legacy, At: u.TokPlace(t), Msg: "…"})
//	}
package cursor

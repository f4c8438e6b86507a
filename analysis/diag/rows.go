package diag

// Table has a row per code. It must not be changed.
var Table = []Info{
	{Code: Syntax, Severity: Error, Title: "malformed text",
		Doc:   "The text does not follow the grammar of the text format. The parser recovers at the next place that makes sense, so the rest of the file is still checked.",
		Wrong: "(module (func (i32.const 1)",
		Right: "(module (func (drop (i32.const 1))))"},
}

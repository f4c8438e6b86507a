package diag

// The codes of linking: what modules of a workspace, or of a script, expect of each other.
const (
	UnknownImport Code = "unknown-import" // the module behind an import exports no such name
	ImportType    Code = "import-type"    // it exports it with another type
)

// linkRows are their rows.
var linkRows = []Info{
	{Code: UnknownImport, Severity: Error, Title: "a name that the imported module does not export",
		Doc:   "The module that the import names is known: the script registers it, or the workspace has it (setting `stackscope.modules`, a path such as `./lib.wasm`, or a file of that name in the same folder). It exports nothing of this name. Of imports from modules that are not known nothing is said.",
		Wrong: "(module (func (export \"f\"))) (register \"lib\") (module (import \"lib\" \"g\" (func)))",
		Right: "(module (func (export \"f\"))) (register \"lib\") (module (import \"lib\" \"f\" (func)))"},
	{Code: ImportType, Severity: Error, Title: "an import whose type does not match the export",
		Doc:   "The module that the import names exports the name with another type. A function's type must be the same or a subtype; a mutable global's and a tag's the same; a table or memory at least as large, and not allowed to grow larger.",
		Wrong: "(module (func (export \"f\") (param i32))) (register \"lib\") (module (import \"lib\" \"f\" (func)))",
		Right: "(module (func (export \"f\") (param i32))) (register \"lib\") (module (import \"lib\" \"f\" (func (param i32))))"},
}

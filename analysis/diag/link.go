package diag

// The codes of linking: what modules of a workspace, or of a script, expect of each other.
const (
	UnknownImport Code = "unknown-import" // the module of an import exports no such name
	ImportType    Code = "import-type"    // it exports it with another type
	UnknownModule Code = "unknown-module" // a command of a script names a module that does not exist
	UnknownExport Code = "unknown-export" // or an export that does not exist
)

// linkRows are their rows.
var linkRows = []Info{
	{Code: UnknownImport, Severity: Error, Title: "a name that the imported module does not export",
		Doc:   "The module that the import names is known: the script registers it, or the workspace has it (setting `stackscope.modules`, a path such as `./lib.wasm`, or a file of that name in the same folder). It exports nothing with this name. Imports from unknown modules are not reported.",
		Wrong: "(module (func (export \"f\"))) (register \"lib\") (module (import \"lib\" \"g\" (func)))",
		Right: "(module (func (export \"f\"))) (register \"lib\") (module (import \"lib\" \"f\" (func)))"},
	{Code: ImportType, Severity: Error, Title: "an import whose type does not match the export",
		Doc:   "The module that the import names exports the name with another type. A function's type must be the same or a subtype; a mutable global's and a tag's the same; a table or memory at least as large, and not allowed to grow larger.",
		Wrong: "(module (func (export \"f\") (param i32))) (register \"lib\") (module (import \"lib\" \"f\" (func)))",
		Right: "(module (func (export \"f\") (param i32))) (register \"lib\") (module (import \"lib\" \"f\" (func (param i32))))"},
	{Code: UnknownModule, Severity: Error, Title: "a command names a module that does not exist",
		Doc:   "`invoke`, `get` and `register` name a module of the script that comes before the command: `$M` of `(module $M …)` or `(module instance $M …)`. Without a name they refer to the last module.",
		Wrong: "(module $lib (func (export \"f\"))) (invoke $lob \"f\")",
		Right: "(module $lib (func (export \"f\"))) (invoke $lib \"f\")"},
	{Code: UnknownExport, Severity: Error, Title: "a command names an export that does not exist",
		Doc:   "`invoke` calls an exported function, and `get` reads an exported global. The module exports nothing with this name, or something of another kind.",
		Wrong: "(module (func (export \"run\"))) (invoke \"start\")",
		Right: "(module (func (export \"run\"))) (invoke \"run\")"},
}

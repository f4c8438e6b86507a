package diag

// The codes of lints: what is valid and yet likely not meant, or not needed.
const (
	Unused          Code = "unused"             // an item that nothing uses
	UnusedParam     Code = "unused-param"       // a parameter that nothing reads
	UnusedLabel     Code = "unused-label"       // a label that nothing branches to
	Unread          Code = "unread"             // a local that is set and never read
	Unreachable     Code = "unreachable"        // code that can never run
	NeedlessMut     Code = "needless-mut"       // mut of something that nothing sets
	DeprecatedItem  Code = "deprecated"         // the use of an item that an annotation calls deprecated
	Shadow          Code = "shadow"             // a label that hides another
	NeedlessTry     Code = "needless-try-table" // a try_table without clauses
	UselessCatch    Code = "useless-catch"      // a catch clause that never matches
	OmittedIndex    Code = "omitted-index"      // memory or table 0 is used without naming it
	ImplicitModule  Code = "implicit-module"    // fields outside of a (module …)
	MultipleModules Code = "multiple-modules"   // several modules in a .wat file
	EmptyImport     Code = "empty-import"       // a group of imports without items
	ReferenceLeaves Code = "reference-leaves"   // the reference to a fiber or task goes to another module
)

// lintRows are their rows.
var lintRows = []Info{
	{Code: Unused, Severity: Hint, Title: "something that nothing uses",
		Doc:   "A named function, type, global, table, memory, tag, segment, local or structure field that nothing in the module uses: it is not exported, not called, not referred to. What only uses itself does not count as used. In a module with neither exports nor a start function nothing can call the functions; export the one that should run. Fields are judged only where no reference enters or leaves the module and no other type is equal or related to the structure.\n\nA name that begins with `$_` marks this as intended.",
		Wrong: "(module (func $helper) (func (export \"run\") (local $x i32)))",
		Right: "(module (func $helper) (func (export \"run\") (local $_x i32) (call $helper)))"},
	{Code: Unread, Severity: Hint, Title: "a local that is set and never read",
		Doc:   "What is stored in the local is never used. A name that begins with `$_` marks this as intended.",
		Wrong: "(module (func (local $x i32) (local.set $x (i32.const 1))))",
		Right: "(module (func (result i32) (local $x i32) (local.set $x (i32.const 1)) (local.get $x)))"},
	{Code: UnusedParam, Severity: Off, Title: "a parameter that nothing reads",
		Doc:   "It is off unless a severity is set for it: a function often has to have a certain type. A name that begins with `$_` marks this as intended.",
		Wrong: "(module (func (param $x i32)))",
		Right: "(module (func (param $x i32) (result i32) (local.get $x)))"},
	{Code: UnusedLabel, Severity: Hint, Title: "a label that nothing branches to",
		Doc:   "No branch and no clause goes to the label, neither by its name nor by its depth. A name that begins with `$_` marks this as intended.",
		Wrong: "(module (func (block $done (nop))))",
		Right: "(module (func (block $done (br $done))))"},
	{Code: Unreachable, Severity: Hint, Title: "code that can never run",
		Doc:   "It follows `br`, `return`, `unreachable` or another instruction after which control never continues, with no label between. A lone `unreachable`, `drop` or constant is not reported: it marks code as unreachable, or shows what a block would return.",
		Wrong: "(module (global $g (mut i32) (i32.const 0)) (func (return) (global.set $g (i32.const 1))))",
		Right: "(module (global $g (mut i32) (i32.const 0)) (func (global.set $g (i32.const 1)) (return)))"},
	{Code: NeedlessMut, Severity: Hint, Title: "mut of something that nothing sets",
		Doc:   "A global, field or array type is `mut`, and nothing in the module sets it. Globals that are imported or exported are left alone; fields and arrays are judged only where no reference enters or leaves the module and no other type is equal or related.",
		Wrong: "(module (global $g (mut i32) (i32.const 0)) (func (export \"get\") (result i32) (global.get $g)))",
		Right: "(module (global $g i32 (i32.const 0)) (func (export \"get\") (result i32) (global.get $g)))"},
	{Code: DeprecatedItem, Severity: Hint, Title: "the use of a deprecated item",
		Doc:   "An annotation `(@deprecated \"words\")` before the item's field, or inside it, marks it as no longer to be used. Exporting it does not count as a use.",
		Wrong: "(module (@deprecated \"call $new\") (func $old) (func $new) (func (export \"run\") (call $old)))",
		Right: "(module (@deprecated \"call $new\") (func $_old) (func $new) (func (export \"run\") (call $new)))"},
	{Code: Shadow, Severity: Warning, Title: "a label hides an outer label",
		Doc:   "A branch by name goes to the innermost block with that name. Rename one of the two, or allow it with `(@lint.allow \"shadow\")` in the function.",
		Wrong: "(module (func (block $a (block $a (br $a)))))",
		Right: "(module (func (block $a (block $b (br $b)))))"},
	{Code: NeedlessTry, Severity: Warning, Title: "a try_table without clauses",
		Doc:   "Without a clause it catches nothing; `block` does the same.",
		Wrong: "(module (func (try_table (nop))))",
		Right: "(module (func (block (nop))))"},
	{Code: UselessCatch, Severity: Warning, Title: "a catch clause that never matches",
		Doc:   "Clauses are tried in order: one after `catch_all`, or after another for the same tag, never matches.",
		Wrong: "(module (tag $e) (func (block $a (try_table (catch_all $a) (catch $e $a)))))",
		Right: "(module (tag $e) (func (block $a (try_table (catch $e $a) (catch_all $a)))))"},
	{Code: OmittedIndex, Severity: Off, Title: "memory or table 0 is used without naming it",
		Doc:   "Without an index an instruction uses memory or table 0. It is off unless a severity is set for it.",
		Wrong: "(module (memory $m 1) (func (result i32) (i32.load (i32.const 0))))",
		Right: "(module (memory $m 1) (func (result i32) (i32.load $m (i32.const 0))))"},
	{Code: ImplicitModule, Severity: Off, Title: "fields outside of a module",
		Doc:   "A text may leave `(module …)` out. It is off unless a severity is set for it.",
		Wrong: "(func (export \"f\"))",
		Right: "(module (func (export \"f\")))"},
	{Code: MultipleModules, Severity: Error, Title: "several modules in a .wat file",
		Doc:   "A `.wat` file holds one module. Put several modules in a `.wast` script.",
		Wrong: "(module $a) (module $b)",
		Right: "(module $a)"},
	{Code: EmptyImport, Severity: Warning, Title: "an import of nothing",
		Doc:   "An import names the module and the item. Without the item's name it is a group of imports (proposal compact-import-section) that has no items: it is valid and imports nothing. Usually a name is missing.",
		Wrong: "(module (import \"env\" (func (param i32))))",
		Right: "(module (import \"env\" \"print\" (func (param i32))))"},
	{Code: ReferenceLeaves, Severity: Off, Title: "the reference to a fiber or task goes to another module",
		Doc:   "In fibers-mount, fibers-handle and tasks, code that has the reference can suspend the fiber or task while it runs, together with the frames of other modules on its stack. It is reported where a reference is an argument of an imported function, and where a parameter is stored in a table or global that is imported or exported. A host needs such a reference to resume a client of asynchronous input and output, so this is off unless a severity is set for it.",
		Wrong: "(module (@stack-switching \"tasks\") (import \"io\" \"read\" (func $read (param taskref))) (func (export \"f\") (param $me taskref) (call $read (local.get $me))))",
		Right: "(module (@stack-switching \"tasks\") (import \"io\" \"read\" (func $read (param i32))) (table $clients 8 taskref) (func (export \"f\") (param $me taskref) (table.set $clients (i32.const 0) (local.get $me)) (call $read (i32.const 0))))"},
}

package diag

import "slices"

// Table has a row per code. It must not be changed.
var Table = slices.Concat(textRows, validRows)

// textRows are the codes of the text itself: of its grammar, its names and its scripts.
var textRows = []Info{
	{Code: Syntax, Severity: Error, Title: "malformed text",
		Doc:   "The text does not follow the grammar of the text format. The parser recovers at the next place that makes sense, so the rest of the file is still checked.",
		Wrong: "(module (func (drop (i32.const 1)))",
		Right: "(module (func (drop (i32.const 1))))"},
	{Code: UnknownWord, Severity: Error, Title: "unknown instruction",
		Doc:   "The word is in no instruction set that is known here: Wasm 3.0, legacy exceptions, and the five dialects of stack switching.",
		Wrong: "(module (func (param i32) (result i32) (i32.plus (local.get 0) (local.get 0))))",
		Right: "(module (func (param i32) (result i32) (i32.add (local.get 0) (local.get 0))))"},
	{Code: Immediate, Severity: Error, Title: "an immediate is missing, of the wrong kind, or too many",
		Doc:   "Immediates are the words directly behind an instruction: indices, labels, constants, types. Operands are instructions of their own.",
		Wrong: "(module (func (local i32) (drop (local.get))))",
		Right: "(module (func (local i32) (drop (local.get 0))))"},
	{Code: Number, Severity: Error, Title: "a number that does not fit",
		Doc:   "The constant is out of range for its type. Integers may be written signed or unsigned.",
		Wrong: "(module (func (drop (i32.const 0x1_0000_0000))))",
		Right: "(module (func (drop (i32.const 0xffff_ffff))))"},
	{Code: AlignPower, Severity: Error, Title: "alignment that is no power of two",
		Doc:   "The alignment of a memory access is a number of bytes: 1, 2, 4, 8 or 16.",
		Wrong: "(module (memory 1) (func (drop (i32.load align=3 (i32.const 0)))))",
		Right: "(module (memory 1) (func (drop (i32.load align=4 (i32.const 0)))))"},
	{Code: InlineType, Severity: Error, Title: "parameters or results differ from the type that is named",
		Doc:   "Where `(type $t)` is followed by parameters and results, they must repeat those of `$t`; they may be left out.",
		Wrong: "(module (type $t (func (param i32))) (func (type $t) (param i64)))",
		Right: "(module (type $t (func (param i32))) (func (type $t) (param $x i32)))"},
	{Code: DuplicateName, Severity: Error, Title: "a name is defined twice",
		Doc:   "Names must differ within an index space: functions, types, the locals of a function, and so on. Labels may hide outer labels.",
		Wrong: "(module (func $f) (func $f))",
		Right: "(module (func $f) (func $g))"},
	{Code: ImportOrder, Severity: Error, Title: "an import behind a definition",
		Doc:   "Imports of functions, tables, memories, globals and tags stand in front of all definitions of these.",
		Wrong: "(module (func $f) (import \"env\" \"g\" (func $g)))",
		Right: "(module (import \"env\" \"g\" (func $g)) (func $f))"},
	{Code: MultipleStarts, Severity: Error, Title: "several start functions",
		Doc:   "A module has one start function at most.",
		Wrong: "(module (func $a) (func $b) (start $a) (start $b))",
		Right: "(module (func $a) (func $b) (func $both (call $a) (call $b)) (start $both))"},
	{Code: DialectName, Severity: Error, Title: "unknown dialect",
		Doc:   "`(@stack-switching \"…\")` names one of `cont`, `stacks`, `fibers-mount`, `fibers-handle` and `tasks`.",
		Wrong: "(module (@stack-switching \"continuations\"))",
		Right: "(module (@stack-switching \"cont\"))"},
	{Code: ScriptAssert, Severity: Error, Title: "an assertion about a module does not hold",
		Doc: "In a script, `assert_invalid` and `assert_malformed` expect a module to be wrong, with a message that begins with the given words."},
	{Code: Legacy, Severity: Warning, Title: "deprecated exception handling",
		Doc: "`try`, `catch`, `catch_all`, `delegate` and `rethrow` are the first version of exception handling. They still run; `try_table` and `throw_ref` replace them."},
}

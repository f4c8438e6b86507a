package action

import (
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/wasm/valid"
)

// Info describes a code action for the reference.
type Info struct {
	// Kind is the kind of the Language Server Protocol: `quickfix`, `refactor.rewrite`, …
	Kind string
	// Title is the title that an editor shows; `…` stands for what depends on the place.
	Title string
	// Doc is one sentence on what the action does.
	Doc string
	// Codes are the diagnostics that a quick fix mends; nil for the other kinds.
	Codes []diag.Code
}

// title is a title that a code action can have, with its documentation.
type title struct{ pattern, doc string }

// refactor is a row of the table of refactorings. One of the three functions offers the changes.
type refactor struct {
	kind      RefactorKind
	titles    []title
	atToken   func(p query.Place) []Refactor                          // at any token of a module
	atInstr   func(p query.Place, b *analysis.Body, i int) []Refactor // at the keyword of instruction i
	atKeyword func(p query.Place) []Refactor                          // at any keyword
	selected  func(s *analysis.Snapshot, sp source.Span) []Refactor
}

// refactors are the refactorings in the order in which they are offered.
var refactors = []refactor{
	{kind: Rewrite, atToken: convertIndex, titles: []title{
		{"Use the name …", "Replaces the index of an item by its name."},
		{"Use the index …", "Replaces the name of an item by its index."},
		{"Use the depth …", "Replaces the name of a label by its depth."},
	}},
	{kind: Rewrite, atToken: exportAs, titles: []title{
		{"Export as \"…\"", "Adds an export with the name of the item."},
	}},
	{kind: Extract, atToken: extractExport, titles: []title{
		{"Move the export to a separate field", "Turns an export inside an item into an `(export …)` field."},
	}},
	{kind: Inline, atToken: inlineExport, titles: []title{
		{"Move the export into the …", "Turns an `(export …)` field into an export inside the item."},
	}},
	{kind: Rewrite, atToken: refTypeForm, titles: []title{
		{"Write as …",
			"Switches between `funcref` and `(ref null func)`, and likewise for the other abstract types."},
	}},
	{kind: Rewrite, atToken: groups, titles: []title{
		{"Remove the empty (…)", "Removes a `(param)`, `(result)`, `(local)` or `(field)` that holds no type."},
		{"Split into one (…) per type", "Splits a group such as `(param i32 i64)` into one group per type."},
		{"Merge the (…) groups", "Merges adjacent unnamed groups such as `(param i32) (param i64)`."},
	}},
	{kind: Inline, atToken: writeTypeUse, titles: []title{
		{"Write out parameters and results",
			"Adds the parameters and results of a named function type after its use."},
	}},
	{kind: Rewrite, atToken: useType, titles: []title{
		{"Use the type …", "Adds `(type …)` to a function whose signature a type definition already describes."},
	}},
	{kind: Rewrite, atToken: makeImmutable, titles: []title{
		{"Make the global immutable", "Removes `mut` from a global that is never written or exported."},
	}},
	{kind: Inline, atToken: inlineSharedType, titles: []title{
		{
			"Copy the shared type into each item",
			"Writes the type that the items of an import group share into each item.",
		},
	}},
	{kind: Rewrite, atToken: splitImports, titles: []title{
		{"Split into single imports", "Replaces a group of imports by one `(import …)` field per item."},
	}},
	{kind: Rewrite, atInstr: omittedIndex, titles: []title{
		{"Write the implicit …", "Adds the memory or table 0 that an instruction leaves out."},
	}},
	{kind: Rewrite, atInstr: addHandlerClause, titles: []title{
		{
			"Add the handler clause (on … …)",
			"Adds a handler clause to a `resume`, for a tag the continuation may suspend with, to an enclosing label that fits.",
		},
		{"Handle … in a new block", "Wraps a `resume` in blocks for a new handler clause."},
	}},
	{kind: Rewrite, atInstr: branchToIf, titles: []title{
		{"Convert to if and br", "Replaces `br_if` by an `if` that holds a `br`."},
	}},
	{kind: Rewrite, atInstr: tailCall, titles: []title{
		{"Merge into …", "Replaces a call followed by a return by the tail call instruction."},
	}},
	{kind: Inline, atInstr: inlineCall, titles: []title{
		{"Inline the call", "Replaces a call by the body of the function."},
	}},
	{kind: Rewrite, atKeyword: ifToBranch, titles: []title{
		{"Convert to br_if", "Replaces an `if` that holds only a `br` by `br_if`."},
	}},
	{kind: Rewrite, atKeyword: foldActions, titles: []title{
		{"Write folded", "Writes an instruction and its operands in folded form."},
		{"Write flat", "Writes a folded instruction and its operands in flat form."},
		{"Write the function folded", "Writes a whole function in folded form."},
		{"Write the function flat", "Writes a whole function in flat form."},
	}},
	{kind: Extract, selected: extractFunction, titles: []title{
		{"Extract into a function", "Moves the selected instructions to a new function and calls it."},
	}},
}

// quickFix is a row of the table of quick fixes. A diagnostic may also bring fixes of its own.
type quickFix struct {
	codes  []diag.Code
	safe   bool // it keeps what the program does: `wasm-ls check --fix` applies it
	titles []title
	fix    func(p query.Place, d *diag.Diagnostic) []diag.Fix
}

// of turns the codes of package valid into codes of diagnostics.
func of(codes ...valid.Code) []diag.Code {
	out := make([]diag.Code, len(codes))
	for i, c := range codes {
		out[i] = diag.Code(c)
	}
	return out
}

// quickFixes are the quick fixes that follow from the code of a diagnostic and its place.
var quickFixes = []quickFix{
	{[]diag.Code{diag.MultipleStarts}, false, []title{
		{"Remove this start", "Removes the second start field of a module."},
	}, removeStart},
	{of(valid.CodeDuplicateExport), false, []title{
		{"Remove this export", "Removes an export whose name is already taken."},
	}, removeExport},
	{[]diag.Code{diag.ImportOrder}, false, []title{
		{
			"Move the import before the definitions",
			"Moves an import, with the comment above it, before the first definition; safe in a module that uses names and no indices.",
		},
	}, moveImport},
	{[]diag.Code{diag.NeedlessTry}, true, []title{
		{"Convert to block", "Replaces a `try_table` without clauses by a `block`."},
	}, tryToBlock},
	{[]diag.Code{diag.UselessCatch}, true, []title{
		{"Remove the clause", "Removes a clause that can never match."},
	}, removeClause},
	{[]diag.Code{diag.ShadowedHandler}, false, []title{
		{"Remove the clause", "Removes a clause that an earlier clause for the same tag shadows."},
	}, removeClause},
	{[]diag.Code{diag.UnusedLabel}, true, []title{
		{"Remove the label", "Removes a label that no branch names."},
	}, removeLabel},
	{[]diag.Code{diag.OmittedIndex}, true, []title{
		{"Write the implicit …", "Adds the memory or table 0 that an instruction leaves out."},
	}, writeIndex},
	{[]diag.Code{diag.ImplicitModule}, true, []title{
		{"Wrap in (module …)", "Wraps the fields of the file in a module."},
	}, wrapModule},
	{of(valid.CodeImmutable), false, []title{
		{"Make … mutable", "Adds `mut` to a global or field that an instruction writes."},
	}, makeMutable},
	{[]diag.Code{diag.Syntax}, false, []title{
		{"Wrap in (then …)", "Wraps the instructions after the condition of an `if` in `(then …)`."},
	}, wrapThen},
	{[]diag.Code{diag.Syntax}, false, []title{
		{"Convert to …", "Converts `local.get $a + 1` to the instruction of the text format."},
	}, infix},
	{[]diag.Code{diag.Syntax}, false, []title{
		{
			"Move … to its place",
			"Moves a parameter, result or local to its place in the header of a function or block.",
		},
	}, orderHeader},
	{[]diag.Code{diag.Immediate}, false, []title{
		{"Change to …", "Uses a floating-point constant instruction for a number with a fraction."},
	}, otherConst},
	{of(valid.CodeTypeKind), false, []title{
		{"Change to …", "Replaces a function type by a continuation type of it."},
	}, contOf},
	{of(valid.CodeTypeMismatch), false, []title{
		{"Reorder the operands", "Puts the folded operands in the order in which their types fit."},
		{"Change to …", "Uses the constant instruction of the required type."},
		{"Convert with …", "Inserts a conversion to the required number type."},
		{"Add (result …) to the …", "Adds the values left on the stack to the results of the function or block."},
		{"Drop the result", "Drops the value left on the stack at the end of a function or block."},
		{"Change the tag to …", "Changes the type of a tag to what an instruction, clause or event with it asks for."},
		{
			"Give … the type: …",
			"Gives a function the type that is asked for, where its own has the same shape in another recursion group.",
		},
	}, operandTypes},
	{of(valid.CodeHandlerLabel, valid.CodeSwitchTag), false, []title{
		{"Change the tag to …", "Changes the type of a tag to what a handler clause or `switch` with it asks for."},
	}, retypeTag},
	{of(valid.CodeUnknownLocal), false, []title{
		{"Declare (local …)", "Declares the local that an instruction sets."},
	}, declareLocal},
	{of(valid.CodeUnknownMemory), false, []title{
		{"Add a memory: …", "Adds a memory to a module that has none."},
	}, addMemory},
	{of(valid.CodeUnknownFunc, valid.CodeUnknownTag, valid.CodeUnknownTable, valid.CodeUnknownMemory,
		valid.CodeUnknownElem, valid.CodeUnknownData, valid.CodeUnknownGlobal, valid.CodeUnknownType), false, []title{
		{"Declare …", "Adds a declaration for an unknown name, with the type that its use requires."},
	}, declare},
	{[]diag.Code{diag.Limits}, false, []title{
		{"Swap minimum and maximum", "Swaps the limits of a memory or table."},
	}, swapLimits},
	{of(valid.CodeSelectArity), false, []title{
		{"Keep only (result …)", "Keeps one result type of a `select`."},
		{"Remove the empty (result)", "Removes a `(result)` without a type from a `select`."},
	}, selectOne},
	{[]diag.Code{diag.DuplicateName}, false, []title{
		{"Rename to …", "Renames a declaration whose name is already taken."},
	}, renameDuplicate},
	{[]diag.Code{diag.Shadow}, false, []title{
		{"Rename the inner label to …", "Renames a label that hides an outer one, and the branches to it."},
	}, renameLabel},
	{of(valid.CodeSubtyping), false, []title{
		{"Open the supertype: remove `final`", "Lets other types extend a final type."},
		{"Open the supertype: declare it with `sub`", "Lets other types extend a type declared without `sub`."},
	}, openSuper},
	{of(valid.CodeTableInit), false, []title{
		{"Make the table nullable", "Makes the element type of a table nullable, so it needs no initial value."},
	}, nullableTable},
	{[]diag.Code{diag.DeprecatedItem}, false, []title{
		{"Use …", "Uses the item that the deprecation comment names."},
	}, useReplacement},
	{[]diag.Code{diag.Unreachable}, false, []title{
		{"Remove unreachable code", "Removes instructions that never run."},
	}, removeDead},
	{[]diag.Code{diag.EventSwitch}, false, []title{
		{"Add event.switch after it", "Adds the `event.switch` that must follow the instruction."},
	}, eventSwitch},
	{[]diag.Code{diag.Legacy}, false, []title{
		{"Convert to try_table", "Replaces a legacy `try` by `try_table` and blocks."},
	}, tryTable},
	{[]diag.Code{diag.DialectName}, false, []title{
		{"Change to …", "Replaces an unknown dialect name by an existing one."},
	}, dialectNames},
	{[]diag.Code{diag.EmptyImport}, false, []title{
		{"Remove the import", "Removes an import group without items."},
	}, removeImport},
}

// ownFixes are the quick fixes that diagnostics bring themselves.
var ownFixes = []title{
	{"Change to …", "Replaces a word or name by a similar one that exists here."},
	{"Insert `…`", "Adds a missing token."},
	{"Remove …", "Removes text that has no place or no effect here."},
	{"Write as …", "Writes an invisible character as an escape sequence."},
}

// fixAll is the action that applies all safe fixes.
var fixAll = title{
	"Apply all safe fixes",
	"Applies every fix that keeps the meaning of the program, as `wasm-ls check --fix` does.",
}

// All returns the code actions: quick fixes, then refactorings, then source actions.
func All() []Info {
	var out []Info
	for _, q := range quickFixes {
		for _, t := range q.titles {
			out = append(out, Info{"quickfix", t.pattern, t.doc, slices.Clone(q.codes)})
		}
	}
	for _, t := range ownFixes {
		out = append(out, Info{"quickfix", t.pattern, t.doc, nil})
	}
	for _, r := range refactors {
		for _, t := range r.titles {
			out = append(out, Info{r.kind.String(), t.pattern, t.doc, nil})
		}
	}
	return append(out, Info{"source.fixAll", fixAll.pattern, fixAll.doc, nil})
}

// Package words documents the words of the text format: keywords, value types, heap types.
package words

import (
	"stackscope/wasm"
)

// Word documents the words of the text format that are no instructions.
var Word = map[string]string{
	"module":        "A module: types, functions, tables, memories, globals, tags and segments.",
	"type":          "Defines a type, or uses one as the type of a function, block or tag: `(type $t)`.",
	"rec":           "Types that may refer to each other; they are compared as one group.",
	"sub":           "A type that other types may extend, unless it is `final`, with its supertypes.",
	"final":         "No type may extend this one.",
	"func":          "A function; in a type, a function type; as a heap type, any function.",
	"import":        "Imports an item of another module: module name, item name.",
	"export":        "Makes an item visible to the host and to other modules under a name.",
	"table":         "A table: an array of references that `call_indirect` and `table.get` read.",
	"memory":        "A linear memory, its size in pages (64 KiB by default; see `(pagesize n)`).",
	"global":        "A global variable, constant unless its type is `(mut t)`.",
	"tag":           "A tag identifies a kind of exception or control event. Its parameters go to the handler; its results are passed back when the suspended continuation is resumed.",
	"start":         "The function that runs when the module is instantiated.",
	"elem":          "An element segment: references for tables, or (`declare`) functions that `ref.func` may name.",
	"data":          "A data segment: bytes for a memory.",
	"param":         "Parameters: one with a name, or any number without names.",
	"result":        "Results.",
	"local":         "Local variables; they start as zero or null.",
	"mut":           "Makes a global, field or element mutable.",
	"field":         "A field of a structure.",
	"struct":        "A structure type; as a heap type, any structure.",
	"array":         "An array type; as a heap type, any array.",
	"cont":          "A continuation type: `(cont $ft)` is a suspended computation that takes the parameters of `$ft` when it is resumed and returns their results when it completes. It can be resumed once. As a heap type: any continuation.",
	"stack":         "A stack type of dialect `stacks`; as a heap type, any stack.",
	"fiber":         "A fiber type, or the heap type of all fibers.",
	"ref":           "A reference type: `(ref $t)` is never null, `(ref null $t)` may be null.",
	"null":          "The reference may be null.",
	"on":            "A handler clause of `resume`. `(on $tag $label)`: a suspension with the tag branches to the label with the tag's parameters and the continuation. `(on $tag switch)`: a `switch` with the tag is handled here.",
	"catch":         "A clause of `try_table`: an exception with the tag branches to the label with its values.",
	"catch_ref":     "A clause of `try_table`: as `catch`, with a reference to the exception as well.",
	"catch_all":     "A clause of `try_table`: any exception branches to the label.",
	"catch_all_ref": "A clause of `try_table`: any exception branches to the label, with a reference to it.",
	"switch":        "In a handler clause: this `resume` handles a `switch` with the tag.",
	"then":          "The arm of an `if` that runs if the condition is not zero.",
	"else":          "The arm of an `if` that runs if the condition is zero.",
	"end":           "Ends a block.",
	"do":            "The body of a legacy `try`.",
	"declare":       "The segment only declares functions for `ref.func`.",
	"offset":        "The start of the segment in the table or memory.",
	"item":          "An element of the segment.",
	"shared":        "The memory may be shared between threads.",
	"event":         "A handler clause of a `handle` block: the code that runs for the event.",

	"register": "Makes the exports of a module importable under a name.", "invoke": "Calls an export.",
	"get":               "Reads an exported global.",
	"assert_return":     "The action must return the given results.",
	"assert_trap":       "The action must trap with a message that starts with the given text.",
	"assert_exhaustion": "The action must exhaust the call stack.",
	"assert_invalid":    "The module must not validate.", "assert_malformed": "The module must not parse.",
	"assert_invalid_custom":   "A custom section, or the annotation for it, must not fit the module.",
	"assert_malformed_custom": "A custom section, or the annotation for it, must not parse.",
	"assert_unlinkable":       "The module must not link.", "assert_exception": "The action must throw.",
	"assert_suspension": "The action must suspend with an unhandled tag.",
}

// valueDocs documents the value types that are one word.
var valueDocs = map[string]string{
	"i32": "A 32-bit integer; each instruction decides whether it is signed.",
	"i64": "A 64-bit integer; each instruction decides whether it is signed.",
	"f32": "A 32-bit IEEE 754 number.", "f64": "A 64-bit IEEE 754 number.", "v128": "A 128-bit vector.",
	"i8": "An 8-bit field or element; read as i32.", "i16": "A 16-bit field or element; read as i32.",
}

// Heap documents the abstract heap types.
var Heap = map[string]string{
	"func": "any function", "nofunc": "no function: only null", "extern": "any host value",
	"noextern": "no host value: only null",
	"any":      "any value that is not a function, exception or host value", "eq": "any value that `ref.eq` compares",
	"i31":    "an unboxed 31-bit integer",
	"struct": "any structure", "array": "any array", "none": "nothing: only null", "exn": "any exception",
	"noexn": "no exception: only null",
	"cont":  "any continuation", "nocont": "no continuation: only null", "stack": "any stack",
	"nostack": "no stack: only null", "fiber": "a fiber", "task": "a task",
}

// Type documents a type that is one word; after a parenthesis such words mean something else.
func Type(word string, paren bool) (string, bool) {
	if d, ok := valueDocs[word]; ok {
		return d, true
	}
	if t, ok := wasm.AbbreviatedRef(word); ok {
		h := t.Heap().Format(func(uint32) string { return "" })
		return "`(ref null " + h + ")`: a reference to " + Heap[h] + ", or null.", true
	}
	if _, ok := wasm.AbstractHeapType(word); ok && !paren {
		return "Heap type: " + Heap[word] + ".", true
	}
	return "", false
}

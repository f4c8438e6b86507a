// Package words documents the words of the text format: keywords, value types, heap types.
package words

import (
	"stackscope/wasm"
)

// Word documents the words of the text format that are no instructions.
var Word = map[string]string{
	"module": "A module: types, functions, tables, memories, globals, tags and segments.",
	"type":   "Defines a type, or uses one as the type of a function, block or tag: `(type $t)`.",
	"rec":    "Types that may refer to each other; they are compared as one group.",
	"sub":    "A type that others may extend (`final`: that none may), with the types it extends.",
	"final":  "No type may extend this one.",
	"func":   "A function; in a type, a function type; as a heap type, any function.",
	"import": "Takes an item from another module: module name, item name.",
	"export": "Makes an item visible to the host and to other modules under a name.",
	"table":  "A table: an array of references that `call_indirect` and `table.get` read.",
	"memory": "A linear memory, its size in pages (64 KiB unless `(pagesize n)` says otherwise).",
	"global": "A global variable, constant unless its type is `(mut t)`.",
	"tag":    "A tag names a kind of exception, or of control event: parameters go to the handler; results come back when the suspended continuation is resumed.",
	"start":  "The function that runs when the module is instantiated.",
	"elem":   "An element segment: references to fill tables with, or (`declare`) functions that `ref.func` may name.",
	"data":   "A data segment: bytes to fill a memory with.",
	"param":  "Parameters; one with a name, or any number without.",
	"result": "Results.",
	"local":  "Local variables; they start as zero or null.",
	"mut":    "Makes a global, field or element mutable.",
	"field":  "A field of a structure.",
	"struct": "A structure type; as a heap type, any structure.",
	"array":  "An array type; as a heap type, any array.",
	"cont":   "A continuation type: `(cont $ft)` is a suspended computation that takes the parameters of `$ft` when it is resumed and gives its results when it returns. It can be resumed once. As a heap type: any continuation.",
	"stack":  "A stack type of dialect `stacks`; as a heap type, any stack.",
	"fiber":  "A fiber type, or the heap type of all fibers.",
	"ref":    "A reference type: `(ref $t)` is never null, `(ref null $t)` may be.",
	"null":   "The reference may be null.",
	"on":     "A clause of `resume`: `(on $tag $label)` sends a suspension with the tag to the label, with the tag's parameters and the continuation; `(on $tag switch)` lets `switch` with the tag end here.",
	"catch":  "A clause of `try_table`: an exception with the tag goes to the label with its values.", "catch_ref": "A clause of `try_table`: as `catch`, with a reference to the exception as well.",
	"catch_all": "A clause of `try_table`: any exception goes to the label.", "catch_all_ref": "A clause of `try_table`: any exception goes to the label, with a reference to it.",
	"switch":  "In a clause: `switch` with the tag ends at this `resume`.",
	"then":    "The arm of an `if` that runs if the condition is not zero.",
	"else":    "The arm of an `if` that runs if the condition is zero.",
	"end":     "Ends a block.",
	"do":      "The body of a legacy `try`.",
	"declare": "The segment only declares functions for `ref.func`.",
	"offset":  "Where in the table or memory the segment goes.",
	"item":    "An element of the segment.",
	"shared":  "The memory may be shared between threads.",
	"event":   "A clause of a `handle` block: what runs when the event arrives here.",

	"register": "Makes the exports of a module importable under a name.", "invoke": "Calls an export.", "get": "Reads an exported global.",
	"assert_return": "The action must return the given results.", "assert_trap": "The action must trap with a message that begins so.",
	"assert_exhaustion": "The action must run out of stack.", "assert_invalid": "The module must not validate.", "assert_malformed": "The module must not parse.",
	"assert_invalid_custom": "A custom section, or the annotation that makes it, must not fit the module.", "assert_malformed_custom": "A custom section, or the annotation that makes it, must not parse.",
	"assert_unlinkable": "The module must not link.", "assert_exception": "The action must throw.", "assert_suspension": "The action must suspend with a tag that nobody handles.",
}

// valueDocs documents the value types that are one word.
var valueDocs = map[string]string{
	"i32": "A 32-bit integer, signed or not as each instruction reads it.", "i64": "A 64-bit integer, signed or not as each instruction reads it.",
	"f32": "A 32-bit IEEE 754 number.", "f64": "A 64-bit IEEE 754 number.", "v128": "A 128-bit vector.",
	"i8": "An 8-bit field or element; read as i32.", "i16": "A 16-bit field or element; read as i32.",
}

// Heap documents the abstract heap types.
var Heap = map[string]string{
	"func": "any function", "nofunc": "no function: only null", "extern": "any host value", "noextern": "no host value: only null",
	"any": "any value that is not a function, exception or host value", "eq": "what `ref.eq` compares", "i31": "a 31-bit integer without a box",
	"struct": "any structure", "array": "any array", "none": "nothing: only null", "exn": "any exception", "noexn": "no exception: only null",
	"cont": "any continuation", "nocont": "no continuation: only null", "stack": "any stack", "nostack": "no stack: only null", "fiber": "a fiber", "task": "a task",
}

// Type documents a type that is one word; behind a parenthesis such words mean something else.
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

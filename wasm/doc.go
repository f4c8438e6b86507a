// Package wasm is WebAssembly as data: types, the instruction table, the dialects of stack
// switching, and the typed module that every layer above reads and writes. It has no text, no files
// and no execution; see https://webassembly.github.io/spec/core/ (release 3.0) for the terms.
//
// The main types:
//
//   - Module is a module, from text or binary; Instr is one of its instructions.
//   - Op is an instruction's key into the instruction table; Op.Info returns its row: mnemonic,
//     immediates, type, binary encoding, effect and documentation. Lookup finds mnemonics.
//   - ValType and HeapType are types, packed into a word; SubType is a type definition.
//   - Dialect is a design of stack switching; Dialect.Info returns its row of the table.
//   - TypeStore has canonical types, which are comparable across modules.
//   - TrapKind is a reason to trap.
//
// A new instruction is a row of the table; docs/design/adding-a-dialect.md lists what a new dialect
// needs.
package wasm

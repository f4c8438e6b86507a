// Package arith computes with the values of a WebAssembly machine as the operators of package expr
// ask for.
//
// Both operands of an operator have one type. Nothing is converted, but an [Operand] without a
// fixed type adapts: numbers that were typed, and numbers of at most 32 bits in a memory, which an
// instruction can load as an i32 or an i64.
//
// [Binary], [Unary] and [Convert] apply an operator to values. [BinaryTerm] and its siblings
// compile one to a [Term], a function of a frame, for conditions that are evaluated often.
// [CodeTerm] does so for short pieces of arithmetic code. [ParseValue] and [FormatFloat] read and
// write numbers.
package arith

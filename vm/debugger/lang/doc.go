// Package lang shows the values of a stopped program in the terms of the source language that it was
// compiled from, and evaluates expressions of that language.
//
// A [Value] is bytes that a debuginfo.Type describes, in the memory or in pieces ([At]), or an
// object of the collector with the names that its module has ([OfValue]). [Value.Text] writes it in
// one line, [Value.Named], [Value.Indexed] and [Value.Page] list its parts; nothing is read before
// it is asked for, and everything is bounded, whatever a program has in its memory.
//
// [Printers] show values of library types by what they mean: tables in the folder printers, and
// files of users ([LoadPrinters]).
//
// [Parse] reads an expression of C, C++, Rust, Zig, Kotlin or AssemblyScript; [Expr.Eval] evaluates
// it with the names of a [Scope], and [Expr.Check] finds what is wrong with it before there are
// values.
package lang

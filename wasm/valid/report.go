package valid

import (
	"fmt"

	"stackscope/wasm"
)

// fail reports a violation at the instruction at work; imm is the immediate it is about, or -1.
func (s *scope) fail(code Code, imm int, format string, args ...any) {
	s.failed = true
	if s.report == nil {
		return
	}
	p := s.place
	p.Imm, p.Operand = imm, -1
	s.report(Error{Place: p, Code: code, Msg: fmt.Sprintf(format, args...)})
}

// mismatch reports operands that do not fit; bad is the first that does not.
func (s *scope) mismatch(in *wasm.Instr, bad int, want, got []wasm.ValType) {
	s.failed = true
	if s.report == nil {
		return
	}
	p := s.place
	p.Imm, p.Operand = -1, bad
	s.report(Error{Place: p, Code: CodeTypeMismatch, Want: clone(want), Got: clone(got),
		Msg: fmt.Sprintf(
			"type mismatch: instruction requires %s but stack has %s (%s)", s.e.formatWant(want),
			s.e.FormatTypes(got), in.Op,
		)})
}

func clone(ts []wasm.ValType) []wasm.ValType { return append([]wasm.ValType{}, ts...) }

// formatWant is FormatTypes of what a rule asks for: `t` is any type, `(ref null ht)` any
// reference.
func (e *Env) formatWant(ts []wasm.ValType) string {
	s := "["
	for i, w := range ts {
		if i > 0 {
			s += " "
		}
		switch w {
		case wasm.Unknown:
			s += "t"
		case anyRef:
			s += "(ref null ht)"
		default:
			s += e.FormatType(w)
		}
	}
	return s + "]"
}

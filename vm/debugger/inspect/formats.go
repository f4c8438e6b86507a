package inspect

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/arith"
	"stackscope/vm/debugger/lang"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// CutFormat takes a format off an expression: `$x,x`. ok is false if there is none. The formats are
// those of Formatted; an unknown one-letter format is given too, so that Formatted can refuse it.
func CutFormat(expr string) (rest string, format byte, ok bool) {
	i := strings.LastIndexByte(expr, ',')
	if i <= 0 {
		return expr, 0, false
	}
	tail := strings.TrimSpace(expr[i+1:])
	if len(tail) != 1 || tail[0] < 'a' || tail[0] > 'z' ||
		strings.Count(expr[:i], "(") != strings.Count(expr[:i], ")") {
		return expr, 0, false
	}
	return strings.TrimSpace(expr[:i]), tail[0], true
}

// Formatted writes a value in a format: x (hexadecimal bits), b (binary), o (octal), u (unsigned),
// d (signed), f (the bits as a float), h (a float in hexadecimal), c (a character), s (the text at
// this address of the first memory). It must be called inside Do.
func (ip *Inspector) Formatted(f Frame, v Var, format byte) (string, error) {
	if v.src != nil {
		return v.src.Format(format)
	}
	t := v.ValType
	if v.bits != nil { // a number in a memory
		v.Value.Lo = v.bits()
	}
	if !v.HasValue || t.Kind() == wasm.KindRef || t.Kind() == wasm.KindV128 {
		return "", fmt.Errorf("%s has no other formats", v.Name)
	}
	bits, n := 64, v.Value.Lo
	switch {
	case v.bits != nil:
		bits = 8 * v.MemoryLen
	case t == wasm.I32 || t == wasm.F32:
		bits, n = 32, uint64(uint32(n))
	}
	if s, ok := arith.FormatInteger(n, bits, format); ok {
		return s, nil
	}
	switch format {
	case 'c':
		return strconv.QuoteRune(rune(int64(n<<(64-bits)) >> (64 - bits))), nil
	case 'f':
		if bits == 64 {
			return ip.sym.Preview(vm.Value{Type: wasm.F64, Lo: n}, false), nil
		}
		return ip.sym.Preview(vm.Value{Type: wasm.F32, Lo: n}, false), nil
	case 'h':
		switch t {
		case wasm.F32:
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(n))), 'x', -1, 32), nil
		case wasm.F64:
			return strconv.FormatFloat(math.Float64frombits(n), 'x', -1, 64), nil
		}
		return fmt.Sprintf("0x%x", n), nil
	case 's':
		ref, ok := ip.FirstMemory(f)
		if !ok {
			return "", fmt.Errorf("the module has no memory")
		}
		return stringAt(ip.Memory(ref), ref, "memory", n, -1).Text, nil
	}
	return "", fmt.Errorf("there is no format %c: want x, b, o, u, d, f, h, c or s", format)
}

// Show writes the value of a variable; hex asks for numbers in hexadecimal. It must be called
// inside Do.
func (ip *Inspector) Show(v Var, hex bool) string {
	switch {
	case v.src != nil && hex:
		return v.src.Text(lang.Style{Hex: true})
	case v.bits != nil && hex:
		return fmt.Sprintf("0x%0*x", 2*v.MemoryLen, v.bits())
	case v.Text != "":
		return v.Text
	}
	return ip.sym.Preview(v.Value, hex)
}

// Whole writes a variable with all that is in it, for the clipboard. It must be called inside Do.
func (ip *Inspector) Whole(v Var) string {
	if v.src != nil {
		return v.src.Text(lang.Style{Whole: true})
	}
	var b strings.Builder
	ip.whole(&b, v, 0)
	return b.String()
}

// Bounds of what Whole writes.
const (
	wholeDepth = 8
	wholeBytes = 1 << 20
)

func (ip *Inspector) whole(b *strings.Builder, v Var, depth int) {
	if v.Text != "" {
		b.WriteString(v.Text)
		return
	}
	b.WriteString(ip.sym.Format(v.Value, false))
	r := v.Value.Ref
	if depth >= wholeDepth || b.Len() > wholeBytes || v.Children == nil {
		return
	}
	switch r.Kind() {
	case vm.RefStruct:
		b.WriteString(" {")
		for i, c := range v.Children() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(c.Name + ": ")
			ip.whole(b, c, depth+1)
		}
		b.WriteString("}")
	case vm.RefArray:
		if _, ok := symbols.ArrayText(r.Array()); ok {
			return
		}
		b.WriteString(" [")
		for i := 0; i < v.Indexed; i++ {
			if i > 0 {
				b.WriteString(", ")
			}
			if b.Len() >= wholeBytes {
				b.WriteString("…")
				break
			}
			for _, c := range v.Page(i, 1) {
				ip.whole(b, c, depth+1)
			}
		}
		b.WriteString("]")
	}
}

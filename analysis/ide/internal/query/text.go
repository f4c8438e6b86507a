package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// DocAbove returns the text of the `;;` lines that stand right above an offset, without the marks;
// "" if there are none.
func DocAbove(f *source.File, off int) string {
	ln := f.LineOf(off)
	if before := f.Text[f.LineStart(ln):off]; strings.TrimLeft(before, " \t(") != "" {
		return "" // something else begins on this line
	}
	var lines []string
	for ln--; ln >= 0; ln-- {
		sp := f.Line(ln)
		t := strings.TrimSpace(f.Text[sp.Start:sp.End])
		if !strings.HasPrefix(t, ";;") {
			break
		}
		t = strings.TrimLeft(t, ";")
		lines = append(lines, strings.TrimPrefix(t, " "))
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Display returns what to call an item: its name with `$`, else its index.
func Display(y analysis.Symbol) string {
	if y.Name != "" {
		return Identifier(y.Name)
	}
	return Index(y.Index)
}

// Index writes an index in decimal.
func Index(i uint32) string { return strconv.FormatUint(uint64(i), 10) }

// Identifier writes a name as an identifier: `$name`, or `$"…"` where it needs quotes.
func Identifier(name string) string {
	if name != "" && PlainID(name) {
		return "$" + name
	}
	var b strings.Builder
	b.WriteString(`$"`)
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// PlainID reports whether a name can stand after `$` without quotes: idchars of the text format.
func PlainID(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\",;()[]{}", c) >= 0 {
			return false
		}
	}
	return name != ""
}

// HeadSpan returns the keyword of a declaration without a name.
func HeadSpan(y analysis.Symbol) source.Span {
	if !y.N.IsZero() {
		if k := y.N.Keyword(); k.T != nil {
			if sp := k.Span(); sp.Start >= y.DeclSpan.Start && sp.End <= y.DeclSpan.End {
				return sp
			}
		}
	}
	return y.DeclSpan
}

// Inside reports whether span a lies within span b.
func Inside(a, b source.Span) bool { return b.Start <= a.Start && a.End <= b.End }

// Concat returns the types of a followed by those of b, in new memory.
func Concat(a, b []wasm.ValType) []wasm.ValType {
	return append(append([]wasm.ValType(nil), a...), b...)
}

// IsScript reports whether a text is a script of the test format.
func IsScript(s *analysis.Snapshot) bool {
	return strings.HasSuffix(s.File().Name, ".wast") || len(s.Modules()) > 1 ||
		slices.ContainsFunc(s.Tree().Commands(), func(n syntax.N) bool { return n.Kind() == syntax.KCommand })
}

// BlockComment returns the length of the block comment that a text begins with; they nest.
func BlockComment(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "(;":
			depth++
			i++
		case ";)":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// InComment reports whether the end of a gap is inside a comment.
func InComment(gap string) bool {
	for i := 0; i < len(gap); {
		switch {
		case strings.HasPrefix(gap[i:], ";;"):
			j := strings.IndexAny(gap[i:], "\r\n")
			if j < 0 {
				return true
			}
			i += j
		case strings.HasPrefix(gap[i:], "(;"):
			n := BlockComment(gap[i:])
			if n == len(gap)-i && !strings.HasSuffix(gap, ";)") {
				return true
			}
			i += n
		default:
			i++
		}
	}
	return false
}

// Unclosed reports whether a parenthesis of the unit is still open at its end.
func Unclosed(u *syntax.Placed) bool {
	depth := 0
	for _, t := range u.Tokens {
		switch t.Kind {
		case syntax.TokLParen, syntax.TokAnnot:
			depth++
		case syntax.TokRParen:
			depth--
		}
	}
	return depth > 0 && u.Kind != syntax.UnitOpen
}

// IsImport reports whether a node declares an item in an import field, where no export can stand.
func IsImport(n syntax.N) bool {
	switch n.Kind() {
	case syntax.KExternType, syntax.KImportItem, syntax.KImport:
		return true
	}
	return false
}

// FoldedOperands returns the folded operands of an instruction.
func FoldedOperands(n syntax.N) []syntax.N {
	var out []syntax.N
	for c := range n.Children() {
		if c.Kind() == syntax.KInstr || c.Kind() == syntax.KBlock {
			out = append(out, c)
		}
	}
	return out
}

// ExternOf returns the kind of import and export that the items of a space are; false if they
// cannot be imported.
func ExternOf(sp analysis.Space) (wasm.ExternKind, bool) {
	switch sp {
	case analysis.SpaceFunc:
		return wasm.ExternFunc, true
	case analysis.SpaceTable:
		return wasm.ExternTable, true
	case analysis.SpaceMemory:
		return wasm.ExternMemory, true
	case analysis.SpaceGlobal:
		return wasm.ExternGlobal, true
	case analysis.SpaceTag:
		return wasm.ExternTag, true
	}
	return 0, false
}

// Limits writes the limits of a memory or table, with a space before each part.
func Limits(l wasm.Limits) string {
	s := ""
	if l.Is64 {
		s = " i64"
	}
	s += fmt.Sprintf(" %d", l.Min)
	if l.HasMax {
		s += fmt.Sprintf(" %d", l.Max)
	}
	if l.Shared {
		s += " shared"
	}
	if l.HasPage {
		s += fmt.Sprintf(" (pagesize %d)", uint64(1)<<l.PageBits)
	}
	return s
}

// ExportNamed returns the number of a module's export of a name, or -1.
func ExportNamed(m *analysis.Module, name string) int {
	for i, e := range m.Declared().Exports {
		if e.Name == name {
			return i
		}
	}
	return -1
}

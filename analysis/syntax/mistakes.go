package syntax

import (
	"strings"

	"stackscope/wasm"
)

// First mistakes: what people write who know other languages, or an older text format. Each is told
// once, where it stands, with what to write instead.

// foreign reads what other languages write and this one does not, if it stands at the current
// token: a comment with `//`, `#` or `--`, or a comma. It becomes an error node, and the parser
// continues after it.
func (p *builder) foreign() bool {
	t := p.toks[p.i]
	s := p.text(p.i)
	switch {
	case s == ",":
		n := p.open(KError)
		if e := p.err(p.i, "unknown operator ,: nothing stands between items but white space"); e != nil {
			e.Delete = true
		}
		p.i++
		p.close(n)
		return true
	case hasPrefix(s, "//"), hasPrefix(s, "#") && (s == "#" || p.atLineStart(p.i)), s == "--":
		mark := s[:min(2, len(s))]
		if s[0] == '#' {
			mark = "#"
		}
		n := p.open(KError)
		// It is another mistake than one before on the line, and says more.
		p.last = p.i
		p.errs = append(p.errs, Error{Off: p.rel(int(t.Off)), Len: uint32(len(mark)), Insert: ";;", Replace: true,
			Message: "unknown operator " + clip(s) + ": comments begin with `;;`"})
		end := p.lineEnd(p.i)
		p.hi = max(p.hi, end+1) // what is written at the end of the line belongs to it
		for ; p.i < p.cut && p.raw(p.i).Kind != TokEOF && int(p.raw(p.i).Off) < end; p.i++ {
		}
		p.close(n)
		return true
	}
	return false
}

// typeWords are the types of other languages.
var typeWords = map[string]string{
	"int": "i32", "uint": "i32", "int32": "i32", "uint32": "i32", "u32": "i32", "s32": "i32", "bool": "i32", "boolean": "i32", "char": "i32", "short": "i32", "byte": "i32",
	"u8": "i32", "u16": "i32", "usize": "i32", "isize": "i32", "integer": "i32", "int8": "i32", "int16": "i32", "ptr": "i32", "pointer": "i32",
	"long": "i64", "int64": "i64", "uint64": "i64", "u64": "i64", "s64": "i64", "number": "f64",
	"float": "f32", "float32": "f32", "double": "f64", "float64": "f64", "v8x16": "v128", "func": "funcref", "anyfunc": "funcref", "extern": "externref",
	"contref": "(ref null cont)", "cont": "(ref null cont)",
}

// typeNames are the types that are one word.
var typeNames = []string{
	"i32", "i64", "f32", "f64", "v128", "funcref", "externref", "anyref", "eqref", "i31ref", "structref",
	"arrayref", "exnref", "nullref", "nullfuncref", "nullexternref", "nullexnref", "contref", "nullcontref",
}

// nearType returns the type that somebody may have meant by a word, or "".
func nearType(s string) string {
	low := strings.ToLower(s)
	for _, n := range typeNames {
		if low == n {
			return n
		}
	}
	if t := typeWords[low]; t != "" {
		return t
	}
	for _, n := range typeNames {
		if len(n) > 4 && oneEdit(low, n) {
			return n
		}
	}
	return ""
}

// oneEdit reports whether two words differ by one letter: another, one more, one less, or two
// swapped.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i < len(a) &&
			(a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:])
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

// lowered returns the keyword or mnemonic that a word is but for capitals, or "".
func lowered(s string) string {
	low := strings.ToLower(s)
	if low == s || len(s) > 64 {
		return ""
	}
	if wasm.Lookup(low) != nil {
		return low
	}
	if i := words.lookup(low, hashWord(low)); i >= wordFirst && words.list[i].kw != kwNone {
		return low
	}
	return ""
}

// suggest adds to an error about a malformed word what the word is but for capitals.
func (p *builder) suggest(e *Error, i int) {
	if p.tok(i).Kind == TokLParen {
		i = p.next(i)
	}
	if p.tok(i).Kind != TokReserved {
		return
	}
	low := lowered(p.text(i))
	if low == "" {
		return
	}
	t := p.tok(i)
	e.Off, e.Len = p.rel(int(t.Off)), t.Len
	e.Message += "; did you mean " + low + "?"
	e.Insert, e.Replace, e.Delete = low, true, false
}

// bareName reads a word in the place of a name or index, if it can only be one without its `$`.
func (p *typeParser) bareName() bool {
	if p.kind() != TokKeyword {
		return false
	}
	w := p.word(p.i)
	s := p.text(p.i)
	if w.op != wasm.OpInvalid || w.kw != kwNone || strings.ContainsAny(s, "./=:") || p.atLineStart(p.i) {
		return false
	}
	if e := p.err(p.i, "unexpected token `"+clip(s)+"`: names begin with `$`"); e != nil {
		e.Insert, e.Safe = "$", true
	}
	p.i++
	return true
}

// bareRef reads `ref $t` in the place of a type, a reference type without its parentheses.
func (p *typeParser) bareRef() {
	from := p.tok(p.i)
	e := p.unexpected("a type; references are written `(ref …)`")
	at := len(p.errs) - 1
	n := p.open(KRefType)
	p.i++
	p.heapType()
	p.close(n)
	last := p.tok(p.i - 1)
	if e == nil || at != len(p.errs)-1 || last.Kind == TokLParen { // what follows is wrong as well
		return
	}
	e = &p.errs[at]
	e.Len = last.Off + last.Len - from.Off
	e.Insert, e.Replace, e.Safe = "("+p.src[from.Off:last.Off+last.Len]+")", true, true
}

// functionType reads what stands in the place of the function type of a continuation: the word
// `ref` before an index is one too many.
func (p *typeParser) functionType() {
	if p.kind() != TokKeyword || p.kw(p.i) != kwRef {
		p.bad("a function type index")
		return
	}
	j := p.next(p.i)
	if p.tok(j).Kind == TokKeyword && p.kw(j) == kwNull {
		j = p.next(j)
	}
	k := p.tok(j).Kind
	e := p.unexpected("a function type index; a continuation type names a function type, and no reference to it")
	if k != TokID && k != TokNat {
		return
	}
	from, to := p.tok(p.i), p.tok(j)
	if e != nil {
		e.Len = to.Off + to.Len - from.Off
		e.Insert, e.Replace, e.Safe = p.text(j), true, true
	}
	p.i = j
	p.index("")
}

// emptyForm goes past `()`, which stands for nothing, among the operands of an instruction: an event
// without values is its tag alone. op is OpInvalid elsewhere.
func (p *builder) emptyForm(op wasm.Op) bool {
	j := p.next(p.i)
	if p.kind() != TokLParen || p.tok(j).Kind != TokRParen || p.emptyAnnot() {
		return false
	}
	from, to := p.tok(p.i), p.tok(j)
	msg := "unexpected token `()`: expected an instruction"
	if d := op.Info().Dialect.Info(); d.Events {
		msg += "; an event without values is its tag alone"
	}
	if e := p.err(p.i, msg); e != nil {
		e.Len, e.Delete, e.Safe = to.Off+to.Len-from.Off, true, true
	}
	n := p.open(KError)
	p.i = j + 1
	p.close(n)
	return true
}

// strayEvent goes past an event clause that stands among instructions.
func (p *instrParser) strayEvent() {
	p.unexpected("an instruction; an event clause stands at the end of a `handle` or of a function")
	p.skipForm()
}

// afterEvents goes past instructions after the last event clause, up to the `)` of what it is in.
func (p *instrParser) afterEvents() {
	if k := p.kind(); (k == TokLParen || k == TokKeyword) && p.toks[p.i-1].Kind == TokRParen {
		p.junk("`)`: no instruction can follow an event clause")
	}
}

// noInitial goes past an instruction in the declaration of a local.
func (p *typeParser) noInitial() {
	if p.kind() == TokLParen && p.word(p.head()).op != wasm.OpInvalid {
		p.junk("`)`: a local has no initial value, it is set by `local.set`")
	}
}

// takesName reports whether the first immediate of an instruction is an index that must be there.
func takesName(op wasm.Op) bool {
	if op == wasm.OpInvalid {
		return false
	}
	im := op.Info().Imms
	if len(im) == 0 {
		return false
	}
	switch im[0] {
	case wasm.ImmLocal, wasm.ImmGlobal, wasm.ImmLabel, wasm.ImmFunc, wasm.ImmType, wasm.ImmTag,
		wasm.ImmElem, wasm.ImmData:
		return true
	}
	return false
}

// nameAhead reports whether an unknown word stands before one type and the end of the form: the
// name of a parameter or local, without its `$`.
func (p *typeParser) nameAhead() bool {
	if p.kind() != TokKeyword || p.kw(p.i) != kwNone || p.word(p.i).op != wasm.OpInvalid {
		return false
	}
	j := p.next(p.i)
	switch p.tok(j).Kind {
	case TokKeyword:
		return p.kw(j) == kwValType && p.tok(p.next(j)).Kind == TokRParen && nearType(p.text(p.i)) == ""
	case TokLParen:
		return p.kw(p.next(j)) == kwRef
	}
	return false
}

// declaredName reads the name that a declaration of the kind may have.
func (p *typeParser) declaredName(k kw) {
	if p.kind() == TokKeyword {
		next := p.tok(p.next(p.i)).Kind
		if next == TokNat && k != kwTable && k != kwMemory {
			return
		}
		switch next {
		case TokLParen, TokRParen, TokNat:
			p.bareName()
			return
		case TokKeyword:
			if p.kw(p.next(p.i)) == kwValType {
				p.bareName()
				return
			}
		}
	}
	p.id()
}

// unquoted adds to the error about a word in the place of a name how the name is written, and goes
// past it.
func (p *typeParser) unquoted() {
	k := p.tok(p.i).Kind
	if k != TokKeyword && k != TokReserved && k != TokID || p.last != p.i || len(p.errs) == 0 {
		return
	}
	s := strings.Trim(strings.TrimPrefix(p.text(p.i), "$"), "'`")
	t := p.tok(p.i)
	if e := &p.errs[len(p.errs)-1]; e.Off == p.rel(int(t.Off)) && s != "" && !strings.ContainsAny(s, `"\'`) {
		if !strings.Contains(e.Message, "quotes") {
			e.Message += ": expected a name in quotes"
		}
		e.Insert, e.Replace, e.Len = `"`+s+`"`, true, t.Len
		n := p.open(KError)
		p.i++
		p.close(n)
	}
}

// bareNumber adds to the error about a number in the place of an instruction how a constant is written;
// the number is token i, and n tokens from the current one stand for it.
func (p *typeParser) bareNumber(e *Error, i, n int) {
	k := p.tok(i).Kind
	if e == nil || k != TokNat && k != TokInt && k != TokFloat {
		return
	}
	ty := "i32"
	if k == TokFloat {
		ty = "f64"
	}
	// The type of a global stands before its value.
	for j := p.i - 1; j >= max(p.base, p.i-2); j-- {
		if p.toks[j].Kind == TokKeyword {
			switch s := p.text(j); s {
			case "i32", "i64", "f32", "f64":
				ty = s
			}
			break
		}
	}
	end := p.tok(p.i + n - 1)
	from := p.tok(p.i)
	e.Off, e.Len = p.rel(int(from.Off)), end.Off+end.Len-from.Off
	e.Insert, e.Replace = "("+ty+".const "+p.text(i)+")", true
	e.Message += "; a constant is written `" + e.Insert + "`"
}

// infixOps are the instructions, without their type, of the operators that other languages write between
// operands.
var infixOps = map[string]string{
	"+": "add", "-": "sub", "*": "mul", "/": "div_s", "%": "rem_s", "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr_s",
	"==": "eq", "!=": "ne", "<": "lt_s", ">": "gt_s", "<=": "le_s", ">=": "ge_s",
}

// infixHint reports what to write in the place of an operator between operands, or of an assignment.
func infixHint(s string) string {
	if op := infixOps[s]; op != "" {
		return ": an instruction stands before its operands, `(i32." + op + " … …)`"
	}
	switch s {
	case "=", ":=", "+=", "-=", "*=", "++":
		return ": a local is set with `(local.set $x …)`"
	}
	return ""
}

// InfixOp returns the instruction, without its type, of an operator of other languages, or "".
func InfixOp(s string) string { return infixOps[s] }

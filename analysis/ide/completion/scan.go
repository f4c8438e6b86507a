package completion

import (
	"slices"

	"stackscope/analysis"
	"stackscope/analysis/ide/internal/query"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// scanner finds what stands before the cursor: the open parentheses, the word that is being
// written.
type scanner struct {
	s       *analysis.Snapshot
	off     int
	dialect wasm.Dialect

	stack   []frame // outermost first; stack[0] is outside all parentheses of the unit
	prefix  string
	replace source.Span // the word under the cursor
	quoted  source.Span // the text of the string that holds the cursor; empty if none does
	closer  *string     // see closing
}

// frame is an open parenthesis before the cursor, with what stands in it so far.
type frame struct {
	head string
	open int // where its parenthesis stands
	// Where its head stands, and the last flat instruction in it; 0 if there is none.
	headAt, flatAt int

	args []arg
	flat []string // labels of the flat blocks that are open in it, "" for one without
}

// arg is a token, or a closed parenthesis by its head word.
type arg struct {
	text  string
	group bool
}

// scan reads the tokens before the cursor. It is false where nothing can be completed: in comments
// and strings.
func (c *scanner) scan() bool {
	t := c.s.Tree()
	text := c.s.File().Text
	i, _ := slices.BinarySearchFunc(t.Units, c.off, func(u syntax.Placed, off int) int {
		if u.Off+int(u.Len) < off {
			return -1
		}
		return 1
	})
	// At the seam of two units the one before counts, if the cursor touches its last token or it is
	// not closed.
	c.stack = []frame{{}}
	if i >= len(t.Units) {
		return false
	}
	if b := &t.Units[i]; i > 0 && (len(b.Tokens) == 0 || b.Off+int(b.Tokens[0].Off) >= c.off) &&
		query.Unclosed(&t.Units[i-1]) {
		i--
	}
	u := &t.Units[i]
	end := u.Off
	opened := false
	for k := range u.Tokens {
		tok := &u.Tokens[k]
		a := u.Off + int(tok.Off)
		b := a + int(tok.Len)
		if a >= c.off {
			break
		}
		if b >= c.off &&
			tok.Kind == syntax.TokAnnot { // an annotation's name is completed like a word after its parenthesis
			c.stack = append(c.stack, frame{open: a})
			c.prefix, c.replace, end, opened = text[a+1:c.off], source.Span{Start: a + 1, End: b}, c.off, true
			break
		}
		if b >= c.off && isPrefix(tok.Kind) {
			c.prefix = text[a:c.off]
			c.replace = source.Span{Start: a, End: b}
			end = c.off
			break
		}
		switch {
		case tok.Kind == syntax.TokBad && text[a] == '"':
			c.quoted = source.Span{Start: a + 1, End: c.off} // it is not closed
			return false
		case tok.Kind == syntax.TokString && b >= c.off:
			c.quoted = source.Span{Start: a + 1, End: max(b-1, c.off)}
			return false
		case b > c.off:
			return false
		}
		end = b
		c.token(tok.Kind, text[a:b], a)
		opened = opened || len(c.stack) > 1
	}
	if opened && len(c.stack) == 1 {
		c.stack[0] = frame{} // after a complete field
	}
	return !query.InComment(text[end:c.off])
}

func isPrefix(k syntax.TokenKind) bool {
	switch k {
	case syntax.TokKeyword, syntax.TokID, syntax.TokNat, syntax.TokInt, syntax.TokReserved, syntax.TokFloat:
		return true
	}
	return false
}

func (c *scanner) token(k syntax.TokenKind, text string, off int) {
	top := &c.stack[len(c.stack)-1]
	switch k {
	case syntax.TokLParen:
		c.stack = append(c.stack, frame{open: off})
		return
	case syntax.TokAnnot:
		c.stack = append(c.stack, frame{head: text, open: off})
		return
	case syntax.TokRParen:
		if len(c.stack) > 1 {
			c.stack = c.stack[:len(c.stack)-1]
			p := &c.stack[len(c.stack)-1]
			p.args = append(p.args, arg{top.head, true})
		}
		return
	}
	if top.head == "" && len(c.stack) > 1 && len(top.args) == 0 {
		top.head, top.headAt = text, off
		return
	}
	c.noteFlat(top, k, text, off)
	if k == syntax.TokKeyword {
		switch ops := wasm.Lookup(text); {
		case text == "end" && len(top.flat) > 0:
			top.flat = top.flat[:len(top.flat)-1]
		case len(ops) > 0 && ops[0].OpensBlock():
			top.flat = append(top.flat, "")
		}
	} else if k == syntax.TokID && len(top.flat) > 0 && len(top.args) > 0 {
		if ops := wasm.Lookup(top.args[len(top.args)-1].text); len(ops) > 0 && ops[0].OpensBlock() {
			top.flat[len(top.flat)-1] = text
		}
	}
	top.args = append(top.args, arg{text, false})
}

// frame returns the i-th frame from the innermost; an empty one beyond.
func (c *scanner) frame(i int) frame {
	if i < len(c.stack) {
		return c.stack[len(c.stack)-1-i]
	}
	return frame{}
}

// instrOf returns the instruction that a frame is in the immediates of, with what follows it: the
// head of a folded one, or the last flat one of a sequence.
func (c *scanner) instrOf(f frame) (op wasm.Op, args []arg, ok bool) {
	for i := len(f.args) - 1; i >= 0; i-- {
		if a := f.args[i]; !a.group {
			if op, ok := c.opOf(a.text); ok {
				return op, f.args[i+1:], true
			}
		}
	}
	op, ok = c.opOf(f.head)
	return op, f.args, ok
}

func (c *scanner) opOf(name string) (wasm.Op, bool) {
	ops := wasm.Lookup(name)
	if len(ops) == 0 {
		return 0, false
	}
	if op, ok := ops[0].In(c.dialect); ok {
		return op, true
	}
	return ops[0], true
}

// closing returns the parenthesis to write after an item that was begun with `(`: none if there is
// one already.
func (c *scanner) closing() string {
	if c.closer == nil {
		s := c.missingParen()
		c.closer = &s
	}
	return *c.closer
}

func (c *scanner) missingParen() string {
	rest := c.s.File().Text[c.replace.End:]
	for i := 0; i < len(rest) && i < 200; i++ {
		switch rest[i] {
		case ' ', '\t':
			continue
		case ')':
			if c.balanced() {
				return ")"
			}
			return ""
		}
		break
	}
	return ")"
}

// balanced reports whether the parentheses after the cursor in this unit close only those opened
// outside the one being written.
func (c *scanner) balanced() bool {
	t := c.s.Tree()
	depth := len(c.stack) - 1
	for i := range t.Units {
		u := &t.Units[i]
		if u.Off+int(u.Len) < c.off || u.Off > c.off {
			continue
		}
		for k := range u.Tokens {
			tok := &u.Tokens[k]
			if u.Off+int(tok.Off) < c.off {
				continue
			}
			switch tok.Kind {
			case syntax.TokLParen, syntax.TokAnnot:
				depth++
			case syntax.TokRParen:
				depth--
			}
		}
	}
	return depth > 0
}

// noteFlat remembers where the last flat instruction of a form begins.
func (c *scanner) noteFlat(top *frame, k syntax.TokenKind, text string, off int) {
	if k == syntax.TokKeyword && len(wasm.Lookup(text)) > 0 && sequence(top.head) {
		top.flatAt = off
	}
}

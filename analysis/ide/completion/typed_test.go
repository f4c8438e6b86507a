package completion

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
	"stackscope/wasm"
)

// typedPrograms returns the programs of all designs that tests type.
func typedPrograms(t *testing.T) map[string]string {
	out := map[string]string{}
	for _, pattern := range []string{"../testdata/every/*.wat", "../../../testdata/examples/scenario/*.wat"} {
		files, _ := filepath.Glob(pattern)
		if len(files) < 5 {
			t.Fatalf("%s: %d files", pattern, len(files))
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(b)
			out[name+" flat"] = flat(analysis.Open(source.NewFile(name, string(b)), analysis.Options{}))
			if out[name+" flat"] == string(b) {
				t.Errorf("%s cannot be written flat", name)
			}
		}
	}
	return out
}

// flat writes all functions of a module flat.
func flat(s *analysis.Snapshot) string {
	for k := range len(s.Modules()[0].Symbols(analysis.SpaceFunc)) {
		y := s.Modules()[0].Symbols(analysis.SpaceFunc)[k]
		if s.Modules()[0].Body(y.Index) == nil {
			continue
		}
		for _, r := range action.Refactors(s, y.DeclSpan.Start+1) {
			if r.Title == "Write the function flat" {
				s = s.EditAll(r.Make())
				break
			}
		}
	}
	return s.File().Text
}

// TestNextWord types the programs of each design, with what follows the cursor missing or only the
// parentheses closed, as an editor does: at the beginning of each word that means something, the
// word is among what is offered, and the more so after its first character.
func TestNextWord(t *testing.T) {
	asked := 0
	for name, text := range typedPrograms(t) {
		whole := analysis.Open(source.NewFile(name, text), analysis.Options{})
		end := len(strings.TrimRight(strings.TrimSpace(text), ") \n")) // of the module
		for i := range whole.Tree().Units {
			u := &whole.Tree().Units[i]
			for k := range u.Tokens {
				tok := &u.Tokens[k]
				at := u.Off + int(tok.Off)
				word := text[at : at+int(tok.Len)]
				if !offered(whole, at, tok.Kind, word) {
					continue
				}
				// What comes after this field stays, so that names declared there are known.
				rest := ""
				if next := u.Off + int(u.Len); next < end {
					rest = "\n" + text[next:]
				}
				open := strings.Count(text[u.Off:at], "(") - strings.Count(text[u.Off:at], ")")
				for _, more := range []int{0, 1} {
					typed := text[:at+more]
					asked++
					half := analysis.Open(source.NewFile(name, typed+strings.Repeat(")", max(0, open))+rest), analysis.Options{})
					if !has(Complete(half, len(typed)), word, text[at:]) {
						line, col := whole.File().LineCol(at)
						t.Errorf("%s:%d:%d: %s is not offered after %q", name, line, col, word, lastLine(typed))
					}
				}
			}
		}
	}
	if asked < 1000 {
		t.Errorf("only %d words", asked)
	}
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// offered reports whether a word is one that completion should have: a mnemonic, a name that is
// declared elsewhere, a word of a clause or type.
func offered(s *analysis.Snapshot, at int, k syntax.TokenKind, word string) bool {
	n, _ := s.Tree().At(at)
	switch k {
	case syntax.TokID:
		m := s.ModuleAt(at)
		if m == nil {
			return false
		}
		r, ok := m.RefAt(at)
		if !ok || r.Kind == analysis.RefDef {
			return false
		}
		if y, ok := m.Symbol(r.Sym); ok && y.Space == analysis.SpaceType && y.DeclSpan.Start > at {
			return false // of a recursion group, and not written yet
		}
		return n.Kind() == syntax.KInstr || n.Kind() == syntax.KClause || n.Kind() == syntax.KOn ||
			n.Kind() == syntax.KEventArg || n.Kind() == syntax.KRefType || n.Kind() == syntax.KEvent
	case syntax.TokKeyword:
		if word == "event" {
			return true
		}
		if len(wasm.Lookup(word)) > 0 {
			return n.Kind() == syntax.KInstr || n.Kind() == syntax.KBlock
		}
		_, isRef := wasm.AbbreviatedRef(word)
		return isRef
	}
	return false
}

// has reports whether a list offers a word, alone or as the beginning of what stands there.
func has(r Result, word, text string) bool {
	for _, it := range r.Items {
		if it.Label == word || strings.HasPrefix(text, it.Label) && strings.HasPrefix(it.Label, word) {
			return true
		}
		if it.Kind == ItemSnippet && strings.HasPrefix(it.Label, word+" ") {
			return true
		}
	}
	return r.Incomplete // more comes as the word grows
}

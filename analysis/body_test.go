package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"

	"stackscope/analysis/internal/decl"
	"stackscope/analysis/source"
	"stackscope/wasm"
)

const generatorText = `(module
  (type $ft (func)) (type $ct (cont $ft))
  (tag $yield (param i64))
  (func $sum (param $k (ref $ct)) (result i64)
    (local $v i64)
    (loop $next
      (block $on_yield (result i64 (ref $ct))
        (resume $ct (on $yield $on_yield) (local.get $k))
        (return (local.get $v)))
      (local.set $k)
      (local.set $v (i64.add (local.get $v)))
      br $next)
    unreachable))`

func body(t *testing.T, text string) (*Module, *Body) {
	t.Helper()
	s := Open(source.NewFile("f.wat", text), Options{})
	if len(s.Modules()) != 1 {
		t.Fatalf("%d modules", len(s.Modules()))
	}
	b := s.Modules()[0].Body(0)
	if b == nil {
		t.Fatal("no body")
	}
	return s.Modules()[0], b
}

func TestBody(t *testing.T) {
	m, b := body(t, generatorText)
	var ops []string
	for i := range b.Instrs {
		ops = append(ops, b.Instrs[i].Op.String())
		n := b.Node(i)
		if j, ok := b.Index(n); !b.divides(i) && (!ok || j != i) {
			t.Errorf("Index(Node(%d)) = %d, %v", i, j, ok)
		}
		if got := b.At(b.Span(i).Start); i < len(b.Instrs)-1 && got != i && b.Span(i).Start != b.Span(got).Start {
			t.Errorf("At of %s gives %d, want %d", ops[i], got, i)
		}
	}
	want := "loop block local.get resume local.get return end local.set local.get i64.add local.set br end unreachable end"
	if got := strings.Join(ops, " "); got != want {
		t.Errorf("body:\n%s\nwant\n%s", got, want)
	}
	at := func(s string) int { return strings.Index(generatorText, s) }
	resume := b.At(at("resume $ct") + 2)
	if b.Instrs[resume].Op != wasm.OpResume {
		t.Fatalf("at resume there is %s", b.Instrs[resume].Op)
	}
	if got := b.LabelTargets(resume); len(got) != 1 || b.Instrs[got[0]].Op != wasm.OpBlock {
		t.Errorf("label targets of resume: %v", got)
	}
	env := m.Env()
	if got := env.FormatTypes(b.StackBefore(resume)) + env.FormatTypes(b.StackAfter(resume)); got != "[(ref $ct)][]" {
		t.Errorf("stack around resume: %s", got)
	}
	if set := b.At(at("local.set $k")); env.FormatTypes(b.StackBefore(set)) != "[i64 (ref $ct)]" {
		t.Errorf("stack before local.set: %s", env.FormatTypes(b.StackBefore(set)))
	}
	if i := b.At(at("unreachable")); b.Unreachable(i) || !b.Unreachable(i+1) {
		t.Error("unreachable can be reached, what stands after it cannot")
	}
	var stmts []string
	for _, s := range b.Stmts {
		stmts = append(stmts, generatorText[s.From:s.To])
	}
	if got := strings.Join(stmts, "|"); got != "(loop $next|(block $on_yield (result i64 (ref $ct))|(resume $ct (on $yield $on_yield) (local.get $k))|(return (local.get $v))|"+
		"(local.set $k)|(local.set $v (i64.add (local.get $v)))|br $next|unreachable" {
		t.Errorf("statements: %s", got)
	}
}

func TestReferences(t *testing.T) {
	s := Open(source.NewFile("f.wat", generatorText), Options{})
	m := s.Modules()[0]
	for _, c := range []struct {
		at   string
		want int // with the declaration
	}{{"$k)", 3}, {"$yield", 2}, {"$ct", 4}, {"$next", 2}, {"$on_yield", 2}, {"$v", 4}, {"$sum", 1}} {
		r, ok := m.RefAt(strings.Index(generatorText, c.at) + 1)
		if !ok {
			t.Errorf("no reference at %s", c.at)
			continue
		}
		if got := m.References(r.Sym, true); len(got) != c.want {
			t.Errorf("%s: %d references, want %d: %v", c.at, len(got), c.want, got)
		}
		if x, ok := m.Symbol(r.Sym); !ok || !strings.HasPrefix(c.at, "$"+x.Name) ||
			s.File().Text[x.NameSpan.Start:x.NameSpan.End] != "$"+x.Name {
			t.Errorf("%s: symbol %+v", c.at, x)
		}
	}
}

// TestQuestionsAboutNonsense asks everything of texts that are broken in random ways.
func TestQuestionsAboutNonsense(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, text := range exampleTexts(t) {
		for range 10 {
			f := source.NewFile("f", text)
			for range 1 + r.IntN(5) {
				f = f.Apply(randomEdit(r, f.Text))
			}
			s := Open(f, Options{})
			s.Diagnostics()
			for _, m := range s.Modules() {
				m.Span()
				m.NameSpan()
				for sp := decl.SpaceType; sp <= decl.SpaceData; sp++ {
					for _, x := range m.Symbols(sp) {
						m.FieldNode(x.Sym)
						m.Fields(x.Index)
					}
				}
				for fn := range m.IR().Funcs {
					m.Locals(uint32(fn))
					m.Labels(uint32(fn))
					b := m.Body(uint32(fn))
					if b == nil {
						continue
					}
					for i := range b.Instrs {
						b.Span(i)
						b.StackBefore(i)
						b.LabelTargets(i)
						b.End(i)
						b.Index(b.Node(i))
					}
					off := r.IntN(len(f.Text) + 1)
					b.At(off)
					b.Next(off)
				}
			}
			for range 20 {
				off := r.IntN(len(f.Text) + 1)
				if m := s.ModuleAt(off); m != nil {
					if x, ok := m.RefAt(off); ok {
						m.References(x.Sym, true)
					}
				}
			}
		}
	}
}

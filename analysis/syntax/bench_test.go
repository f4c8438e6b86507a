package syntax

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
)

func size(t *Tree) int {
	n := cap(t.Units) * int(unsafe.Sizeof(Placed{}))
	for i := range t.Units {
		u := t.Units[i].Unit
		n += int(
			unsafe.Sizeof(*u),
		) + cap(
			u.Tokens,
		)*int(
			unsafe.Sizeof(Token{}),
		) + cap(
			u.Nodes,
		)*int(
			unsafe.Sizeof(Node{}),
		) + cap(
			u.Errors,
		)*int(
			unsafe.Sizeof(Error{}),
		)
	}
	return n
}

func TestGenerated(t *testing.T) {
	for _, stacks := range []bool{false, true} {
		f := source.NewFile("bench.wat", genwat.Text(genwat.Options{Bytes: 1 << 20, Seed: 1, Stacks: stacks}))
		tr := Parse(f)
		checkTree(t, tr)
		if tr.HasErrors() {
			t.Fatal(tr.Errors()[0])
		}
		per := float64(size(tr)) / float64(len(f.Text))
		t.Logf("stacks=%v: %d bytes, %d units, %.2f bytes of tree per byte of text", stacks, len(f.Text), len(tr.Units), per)
		if per > 5 {
			t.Errorf("%.2f bytes of tree per byte of text, want at most 5", per)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, stacks := range []bool{false, true} {
		b.Run(fmt.Sprintf("stacks=%v", stacks), func(b *testing.B) {
			f := source.NewFile("bench.wat", genwat.Text(genwat.Options{Bytes: 10 << 20, Seed: 1, Stacks: stacks}))
			b.SetBytes(int64(len(f.Text)))
			var tr *Tree
			for b.Loop() {
				tr = Parse(f)
			}
			runtime.KeepAlive(tr)
			b.ReportMetric(float64(size(tr))/float64(len(f.Text)), "tree-B/text-B")
		})
	}
}

func BenchmarkEdit(b *testing.B) {
	f := source.NewFile("bench.wat", genwat.Text(genwat.Options{Bytes: 10 << 20, Seed: 1}))
	tr := Parse(f)
	at := strings.Index(f.Text[len(f.Text)/2:], "i32.add") + len(f.Text)/2
	for b.Loop() {
		tr.Edit(source.Edit{Span: source.Span{Start: at, End: at + 7}, New: "i32.sub"})
	}
}

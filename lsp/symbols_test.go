package lsp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"stackscope/analysis/source"
)

// TestRememberedUnits edits texts at random and compares the symbols and folds that remember those
// of units with those made from scratch.
func TestRememberedUnits(t *testing.T) {
	p := pool(t)
	r := rand.New(rand.NewPCG(fixedSeed(t), 7))
	ctx := context.Background()
	n := 60
	if l := longRun(t); l > 0 {
		n = l
	}
	ds := make([]*direct, len(encodingKinds))
	for i, k := range encodingKinds {
		ds[i] = newDirect(t, k)
		ds[i].rnd = r
	}
	for k := range n {
		d := ds[k%len(ds)]
		text := p.Small(r)
		for range r.IntN(4) {
			text += strings.Repeat(" ", r.IntN(2)) + p.Small(r)
		}
		d.open("file:///remembered/a.wast", text)
		for step := range 12 {
			doc := d.store.View()[d.u]
			fresh := &presentation{session: d.session}
			got, err := d.symbols(ctx, doc)
			want, err2 := fresh.symbols(ctx, doc)
			if err != nil || err2 != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf(
					"text %d, step %d: the symbols differ: %v %v\n%+v\n%+v\n%s",
					k,
					step,
					err,
					err2,
					got,
					want,
					text,
				)
			}
			folds, err := d.folds(ctx, doc)
			wantFolds, err2 := fresh.folds(ctx, doc)
			if err != nil || err2 != nil || !reflect.DeepEqual(folds, wantFolds) {
				t.Fatalf("text %d, step %d: the folds differ: %v %v\n%s", k, step, err, err2, text)
			}
			e := randomEdit(r, text)
			e.Start = boundary(text, e.Start)
			e.End = max(e.Start, boundary(text, e.End))
			if r.IntN(3) == 0 {
				text = p.Mutate(r, text)
			} else {
				text = source.NewFile("", text).Apply(e).Text
			}
			d.change(text)
		}
		d.close()
	}
}

// TestSymbolsOfOneUnit edits the body of a function in a large text: the symbols of all other units
// are not made again.
func TestSymbolsOfOneUnit(t *testing.T) {
	var b strings.Builder
	b.WriteString("(module\n")
	for i := range 500 {
		fmt.Fprintf(
			&b,
			"  (func $f%d (result i32)\n    (i32.const 1))\n  (global $g%d i32 (i32.const 2)) (func)\n",
			i,
			i,
		)
	}
	text := b.String() + ")"
	d := newDirect(t, encodingKinds[0])
	d.rnd = rand.New(rand.NewPCG(1, 1))
	ctx := context.Background()
	symbols := func() []symbolChunk {
		if _, err := d.symbols(ctx, d.store.View()[d.u]); err != nil {
			t.Fatal(err)
		}
		return d.outlines.Answers(d.u)
	}
	d.open("file:///remembered/b.wat", text)
	old := symbols()
	d.change(strings.Replace(text, "\n    (i32.const 1))\n", "\n\n    (i32.add (i32.const 1) (i32.const 3)))\n", 1))
	now := symbols()
	if len(old) != len(now) {
		t.Fatalf("%d units before, %d after", len(old), len(now))
	}
	made := 0
	for i, c := range now {
		if len(c.syms) > 0 && &c.syms[0] != &old[i].syms[0] {
			made++
		}
	}
	if made != 1 {
		t.Errorf("the symbols of %d units were made, want 1", made)
	}
}

package stackview

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/vm/debugger/snapshot"
	"stackscope/wasm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to rewrite):\n%s", path, got)
	}
}

func at(fn string, line int) snapshot.Site {
	return snapshot.Site{Func: fn, File: "/w/gen.wat", Line: line, Col: 5}
}

// sample has a running chain of three, a suspended segment of two, a new stack and one held by a
// table.
func sample() *snapshot.Snapshot {
	c := wasm.DialectCont
	return &snapshot.Snapshot{Running: 3, Omitted: 2, Finished: 1, Stacks: []snapshot.Stack{
		{
			ID: 3, Dialect: c, State: snapshot.Running, Base: "$leaf", Func: "$help",
			At: at("$help", 12), Depth: 2, Parent: 2, ParentAt: at("$mid", 20), Creator: 2,
			CreatedAt: at("$mid", 18),
		},
		{
			ID: 2, Dialect: c, State: snapshot.Waiting, Base: "$mid", Func: "$mid",
			At: at("$mid", 20), Depth: 1, Parent: 1, ParentAt: at("$main", 30), Child: 3,
			Creator: 1, CreatedAt: at("$main", 28),
		},
		{ID: 1, State: snapshot.Waiting, Rooted: true, Base: "main", Func: "$main", At: at("$main", 30), Depth: 1,
			Child: 2},
		{
			ID: 5, Dialect: c, State: snapshot.Suspended, Base: "$outer", Func: "$outer",
			At: at("$outer", 41), Depth: 1, Child: 6,
			HeldBy: []snapshot.Holder{{What: "table $queue[4]"}},
		},
		{
			ID: 6, Dialect: c, State: snapshot.Suspended, Base: "$inner", Func: "$inner",
			At: at("$inner", 51), Tag: "$yield", Depth: 3, Parent: 5,
			ParentAt: at("$outer", 41),
		},
		{
			ID: 9, Dialect: c, State: snapshot.New, Base: `$"a <b> & \"c\""`,
			At:     snapshot.Site{Func: "x"},
			HeldBy: []snapshot.Holder{{What: "a variable of $main", Stack: 1}}, CreatedAt: at("$main", 44),
		},
	}}
}

func events() []snapshot.Event {
	return []snapshot.Event{
		{N: 1, Kind: snapshot.Create, Stack: 2, Other: 1, Func: "$gen", At: at("$main", 28)},
		{N: 2, Kind: snapshot.Resume, Stack: 2, Other: 1, Func: "$gen", At: at("$main", 30)},
		{N: 3, Kind: snapshot.Start, Stack: 2, Other: 1, Func: "$gen", At: at("$gen", 10)},
		{
			N: 4, Kind: snapshot.Suspend, Stack: 2, Other: 1, Func: "$gen", Tag: "$yield",
			Values: []string{"(i64.const 1)"}, At: at("$gen", 12),
		},
		{N: 5, Kind: snapshot.Resume, Stack: 2, Other: 1, Func: "$gen", At: at("$main", 30)},
		{N: 6, Kind: snapshot.Finish, Stack: 2, Other: 1, Func: "$gen", At: at("$gen", 15)},
	}
}

func TestTree(t *testing.T) {
	tree := New(sample())
	if n := tree.Size(); n != 6 {
		t.Errorf("the tree has %d nodes, want 6", n)
	}
	golden(t, "tree.txt", tree.Text(Style{}))
	golden(t, "tree.json", tree.JSON())
	golden(t, "tree.dot", tree.DOT())
	golden(t, "tree.svg", tree.SVG())
	if err := wellFormed(tree.SVG()); err != nil {
		t.Errorf("the SVG is not well-formed: %v", err)
	}
	if !json.Valid([]byte(tree.JSON())) {
		t.Error("the JSON is not valid")
	}
	if s := tree.Text(Style{Color: true}); !strings.Contains(s, "\x1b[") {
		t.Error("no colour where it was asked for")
	}
}

func wellFormed(s string) error {
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestTreeOdd folds snapshots that no machine gives: nothing may be lost, and nothing may hang.
func TestTreeOdd(t *testing.T) {
	for name, s := range map[string]*snapshot.Snapshot{
		"empty":       {},
		"cycle":       {Running: 1, Stacks: []snapshot.Stack{{ID: 1, Parent: 2}, {ID: 2, Parent: 1}}},
		"self":        {Running: 1, Stacks: []snapshot.Stack{{ID: 1, Parent: 1}}},
		"missing":     {Running: 7, Stacks: []snapshot.Stack{{ID: 1, Parent: 9}}},
		"twice":       {Stacks: []snapshot.Stack{{ID: 1}, {ID: 1}}},
		"long circle": {Stacks: []snapshot.Stack{{ID: 1, Parent: 2}, {ID: 2, Parent: 3}, {ID: 3, Parent: 1}}},
	} {
		ids := map[snapshot.StackID]bool{}
		for _, x := range s.Stacks {
			ids[x.ID] = true
		}
		tree := New(s)
		if n := tree.Size(); n != len(ids) {
			t.Errorf("%s: %d nodes for %d stacks", name, n, len(ids))
		}
		_ = tree.Text(Style{}) + tree.JSON() + tree.DOT() + tree.SVG()
	}
}

func TestTrace(t *testing.T) {
	var text, js, perf bytes.Buffer
	if err := TraceText(&text, events()); err != nil {
		t.Fatal(err)
	}
	if err := TraceJSON(&js, events()); err != nil {
		t.Fatal(err)
	}
	if err := TracePerfetto(&perf, NewTimeline(events())); err != nil {
		t.Fatal(err)
	}
	golden(t, "trace.txt", text.String())
	golden(t, "trace.json", js.String())
	golden(t, "trace.perfetto.json", perf.String())
	for _, line := range strings.Split(strings.TrimSpace(js.String()), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

func TestTimeline(t *testing.T) {
	tl := NewTimeline(events())
	states := func(id snapshot.StackID) (out []string) {
		for _, l := range tl.Lanes {
			if l.ID == id {
				for _, s := range l.Slices {
					out = append(out, s.State.String())
				}
			}
		}
		return out
	}
	if got := strings.Join(states(2), " "); got != "new running suspended running moribund" {
		t.Errorf("#2: %s", got)
	}
	if got := strings.Join(states(1), " "); got != "waiting running waiting running" {
		t.Errorf("#1: %s", got)
	}
}

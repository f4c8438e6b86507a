package stackview_test

import (
	"fmt"

	"stackscope/stackview"
	"stackscope/vm/debugger/snapshot"
)

// A snapshot of a generator that main has resumed, and of a task that is suspended.
func ExampleNew() {
	at := func(fn string, line int) snapshot.Site {
		return snapshot.Site{Func: fn, File: "gen.wat", Line: line, Col: 5}
	}
	stopped := &snapshot.Snapshot{Running: 2, Stacks: []snapshot.Stack{
		{ID: 2, State: snapshot.Running, Base: "$generator", Func: "$generator", At: at("$generator", 12), Parent: 1,
			ParentAt: at("main", 30), Creator: 1, CreatedAt: at("main", 28)},
		{ID: 1, State: snapshot.Waiting, Rooted: true, Base: "main", Func: "main", At: at("main", 30), Child: 2},
		{ID: 3, State: snapshot.Suspended, Base: "$task", Func: "$task", At: at("$task", 21), Tag: "$yield",
			HeldBy: []snapshot.Holder{{What: "table $queue[2]"}}, Creator: 1, CreatedAt: at("main", 26)},
	}}
	tree := stackview.New(stopped)
	fmt.Print(tree.Text(stackview.Style{}))
	// Output:
	// #1 main · waiting for #2 · gen.wat:30
	// └─ #2 $generator · running · gen.wat:12
	//       resumed by #1 at gen.wat:30 · created by #1 at gen.wat:28
	// #3 $task · suspended at $yield gen.wat:21
	//    held by table $queue[2] · created by #1 at gen.wat:26
}

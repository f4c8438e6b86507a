package debugger_test

import (
	"fmt"
	"log"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm/debugger"
)

const generator = `(module
  (type $f (func)) (type $k (cont $f))
  (tag $yield (param i32))
  (func $gen
    (suspend $yield (i32.const 1)))
  (elem declare func $gen)
  (func (export "main") (local $c (ref null $k))
    (local.set $c (cont.new $k (ref.func $gen)))
    (block $on_yield (result i32 (ref $k))
      (resume $k (on $yield $on_yield) (local.get $c))
      (return))
    (local.set $c)
    (drop)))
`

// A program stops at a breakpoint in a coroutine: list the stacks, and step to where the
// coroutine's value goes.
func Example() {
	unit, err := loader.Text(source.NewFile("gen.wat", generator), analysis.Options{})
	if err != nil {
		log.Fatal(err)
	}
	stops := make(chan debugger.Stop, 1)
	e := debugger.NewEngine(
		&debugger.Program{Units: []*debugger.Unit{unit.Unit}, Invoke: "main"},
		debugger.Options{OnStop: func(s debugger.Stop) { stops <- s }},
	)
	err = e.Breakpoints.Set("gen.wat", unit.File, []*debugger.Breakpoint{{ID: 1, Line: 4}})
	if err != nil {
		log.Fatal(err)
	}
	show := func(s debugger.Stop) {
		err := e.Do(func() {
			for _, st := range e.Stacks.Snapshot(0, false, nil).Stacks {
				fmt.Printf("%s, line %d\n", st.Title(), st.At.Line)
			}
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	e.Start()
	stop := <-stops
	show(stop)

	fmt.Println("step into")
	if err := e.Stepper.Prepare(debugger.Into, debugger.ByStatement, stop.Stack, false); err != nil {
		log.Fatal(err)
	}
	e.Resume()
	show(<-stops)
	e.Resume()
	<-e.Done()
	// Output:
	// #2 $gen · running, line 5
	// #1 main · waiting for #2, line 10
	// step into
	// #1 main · running, line 12
	// #2 $gen · suspended at $yield gen.wat:5, line 5
}

package ide_test

import (
	"fmt"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/ide"
	"stackscope/analysis/ide/action"
	"stackscope/analysis/ide/completion"
	"stackscope/analysis/source"
)

const exampleText = `(module
  (type $task (func))
  (type $gen (cont $task))
  (tag $yield (param i32))
  ;; Yields 1.
  (func $produce
    (suspend $yield (i32.const 1))))
`

// Show what an editor shows at a name.
func ExampleHover() {
	s := analysis.Open(source.NewFile("a.wat", exampleText), analysis.Options{})
	h, _ := ide.Hover(s, strings.Index(exampleText, "$yield (i32"))
	fmt.Println(h.Markdown)
	// Output:
	// ```wat
	// (tag $yield (param i32))
	// ```
	//
	// tag 0
	//
	// Suspending with it passes `[i32]`; resuming passes back `[]`.
}

// List what could be written after a suspend.
func Example_completion() {
	s := analysis.Open(source.NewFile("a.wat", exampleText), analysis.Options{})
	c := completion.Complete(s, strings.Index(exampleText, "$yield (i32"))
	for _, it := range c.Items {
		fmt.Println(it.Label, it.Detail)
	}
	// Output: $yield [i32]
}

// List the refactorings at an instruction.
func Example_action() {
	s := analysis.Open(source.NewFile("a.wat", exampleText), analysis.Options{})
	for _, r := range action.Refactors(s, strings.Index(exampleText, "suspend")) {
		fmt.Println(r.Kind, r.Title)
	}
	// Output: refactor.rewrite Write flat
}

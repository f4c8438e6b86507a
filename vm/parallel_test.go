package vm_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/loader"
	"stackscope/vm"
)

// TestParallelCompile: a large module with stacks does what it should, though several goroutines
// compile it and number the clauses of its resumes.
func TestParallelCompile(t *testing.T) {
	const pairs = 4000
	var b strings.Builder
	b.WriteString("(module (type $f (func)) (type $c (cont $f)) (tag $y (param i32)) (tag $z (param i32))\n")
	for i := range pairs {
		tag, other := "$y", "$z"
		if i%2 == 1 {
			tag, other = other, tag
		}
		// What a generator suspends with comes back through the clause for its tag; the other
		// clause would spoil it.
		fmt.Fprintf(&b, `(elem declare func $gen%[1]d)
(func $gen%[1]d (suspend %[2]s (i32.const %[1]d)))
(func $run%[1]d (result i32)
  (block $other (result i32 (ref null $c))
    (block $on (result i32 (ref null $c))
      (resume $c (on %[3]s $other) (on %[2]s $on) (cont.new $c (ref.func $gen%[1]d)))
      (return (i32.const -1)))
    (drop)
    (return (i32.add (i32.const 1))))
  (drop) (drop)
  (i32.const -2))
`, i, tag, other)
	}
	b.WriteString("(func (export \"run\") (result i32) (i32.const 0)\n")
	for i := range pairs {
		fmt.Fprintf(&b, "call $run%d i32.const %d i32.ne i32.add\n", i, i+1)
	}
	b.WriteString("))")
	u, err := loader.Text(source.NewFile("large.wat", b.String()), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for range 3 {
		m := vm.New(vm.Options{})
		in, err := m.Instantiate(context.Background(), u.Module, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		out, err := in.Invoke(context.Background(), "run")
		if err != nil || len(out) != 1 || out[0].I32() != 0 {
			t.Errorf("%v functions gave what they should not, %v", out, err)
		}
		if s := m.Stats(); s.Created < pairs {
			t.Errorf("%+v", s)
		}
	}
}

// Package programs holds the programs of the benchmark tables: the ones that the engines in
// bench/peers run are the same. Each exports `run : [i32 n] -> [i64]`, which does n units of the
// work that it is named for.
package programs

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.wat
var files embed.FS

// Program is a program of the tables.
type Program struct {
	Name string
	Unit string // what one unit is, for people
	// Work is a size that takes an interpreter some tenths of a second.
	Work int
}

// Switches returns the programs that switch stacks.
func Switches() []Program {
	return []Program{
		{"gen", "resume + suspend with a value", 2_000_000},
		{"switch", "symmetric switch", 4_000_000},
		{"create", "create, run to the end, drop", 1_000_000},
		{"create_suspend", "create, suspend, resume, end", 1_000_000},
		{"deep", "handler 100 stacks up", 100_000},
		{"sched", "a turn of 1,000 tasks in a table", 2_000_000},
	}
}

// Compute returns the programs without switches, in the sizes of the table.
func Compute() []Program {
	return []Program{
		{"fib", "fib(n)", 30},
		{"sieve", "primes below n", 3_000_000},
		{"matmul", "f64 matrices, n × n", 200},
		{"sha256", "blocks", 20_000},
		{"mix", "rounds of bit mixing", 5_000_000},
		{"br_table", "rounds of a byte code interpreter", 250_000},
		{"call_indirect", "calls", 5_000_000},
	}
}

// Text returns the text of a program.
func Text(name string) (string, error) {
	b, err := files.ReadFile(name + ".wat")
	if err != nil {
		return "", fmt.Errorf("there is no program %s", name)
	}
	return string(b), nil
}

// Deep returns the program deep with the handler that many resumes further out.
func Deep(resumes int) (string, error) {
	t, err := Text("deep")
	return strings.Replace(t, "$depth i32 (i32.const 100)", fmt.Sprintf("$depth i32 (i32.const %d)", resumes), 1), err
}

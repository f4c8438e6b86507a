package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/internal/testing/genwat"
	"stackscope/wasm/binary"
)

// programs are the files that are debugged.
type programs struct{ dir string }

// stacksText makes n stacks that wait, suspended, in a table; then it loops over lines to step on.
const stacksText = `(module
  (type $f (func))
  (type $ct (cont $f))
  (tag $pause)
  (global $n i32 (i32.const %[1]d))
  (table $t %[1]d (ref null $ct))
  (elem declare func $body)
  (func $body (suspend $pause))
  (func (export "main")
    (local $i i32) (local $sum i32)
    (loop $next
      (table.set $t (local.get $i)
        (block $on_pause (result (ref $ct))
          (resume $ct (on $pause $on_pause) (cont.new $ct (ref.func $body)))
          (unreachable)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (global.get $n))))
    (loop $work
      (local.set $sum (i32.add (local.get $sum) (local.get $i)))
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (local.set $sum (i32.xor (local.get $sum) (i32.const 3)))
      (local.set $i (i32.add (local.get $i) (i32.const 2)))
      (br $work))))
`

// goroutinesText does the same with goroutines that wait on a channel.
const goroutinesText = `package main

import (
	"os"
	"runtime"
	"strconv"
	"sync"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	hold := make(chan int)
	var started sync.WaitGroup
	for i := 0; i < n; i++ {
		started.Add(1)
		go func() {
			started.Done()
			<-hold
		}()
	}
	started.Wait()
	runtime.Gosched()
	i, sum := n, 0
	for {
		sum = sum + i
		i = i - 1
		sum = sum ^ 3
		i = i + 2
	}
}
`

// The lines to stop at: the first ones of the loops.
var stopLine = map[bool]int{
	false: lineOf(stacksText, "(local.set $sum (i32.add"), true: lineOf(goroutinesText, "sum = sum + i"),
}

func lineOf(text, what string) int {
	before, _, _ := strings.Cut(text, what)
	return 1 + strings.Count(before, "\n")
}

// build writes the programs.
func build(dir string, peer bool) (*programs, error) {
	p := &programs{dir}
	large := genwat.Text(genwat.Options{Bytes: 1_000_000, Seed: 1, Stacks: true})
	files := map[string]string{
		"large.wat": large,
		"env.wat":   `(module (func (export "log") (param i32)))`,
		"work.wat":  workText,
	}
	if peer {
		files["main.go"], files["go.mod"] = goroutinesText, "module target\n\ngo 1.26\n"
	}
	for name, text := range files {
		if err := os.WriteFile(p.path(name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	if err := largeBinary(p); err != nil {
		return nil, err
	}
	if peer {
		cmd := exec.Command("go", "build", "-gcflags", "all=-N -l", "-o", p.path("target"), ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the peer's program: %v: %s", err, out)
		}
	}
	return p, nil
}

// workText takes a second or so: a sum over a memory, calls, and a switch of stacks now and then.
const workText = `(module
  (type $f (func))
  (type $ct (cont $f))
  (tag $y)
  (memory 1)
  (elem declare func $body)
  (func $body (loop $l (suspend $y) (br $l)))
  (func $mix (param $a i32) (param $b i32) (result i32)
    (i32.xor (i32.rotl (local.get $a) (i32.const 5)) (i32.mul (local.get $b) (i32.const 31))))
  (func (export "main") (result i32)
    (local $i i32) (local $h i32) (local $k (ref $ct))
    (local.set $k (cont.new $ct (ref.func $body)))
    (loop $l
      (i32.store (i32.and (local.get $i) (i32.const 0xfffc)) (local.get $h))
      (local.set $h (call $mix (local.get $h)
        (i32.add (local.get $i) (i32.load (i32.and (local.get $h) (i32.const 0xfffc))))))
      (if (i32.eqz (i32.and (local.get $i) (i32.const 255)))
        (then
          (local.set $k
            (block $on (result (ref $ct))
              (resume $ct (on $y $on) (local.get $k))
              (unreachable)))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (i32.lt_u (local.get $i) (i32.const 30000000))))
    (local.get $h)))
`

// largeBinary writes a module of about 1 MB in the binary format.
func largeBinary(p *programs) error {
	// The binary form is a fraction of the text's size.
	for bytes := 4_000_000; ; bytes = bytes * 5 / 4 {
		text := genwat.Text(genwat.Options{Bytes: bytes, Seed: 1, Stacks: true})
		mods := analysis.Open(source.NewFile("large.wat", text), analysis.Options{}).Modules()
		mod, ok := mods[0].Lower()
		if !ok {
			return fmt.Errorf("the generated text has errors")
		}
		raw, err := binary.Encode(mod)
		if err != nil {
			return err
		}
		if len(raw) >= 1_000_000 {
			return os.WriteFile(p.path("large.wasm"), raw, 0o666)
		}
	}
}

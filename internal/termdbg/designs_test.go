package termdbg

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/internal/testing/sidebyside"
	"stackscope/wasm"
)

// TestDesignsSideBySide debugs the scenario of the five designs with the same commands. Each
// transcript has the words of its own design, and none that only other designs have.
func TestDesignsSideBySide(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	root, _ := os.Getwd()
	var log sidebyside.Log
	for _, d := range wasm.Dialects() {
		path, err := filepath.Abs(filepath.Join("testdata", "examples", "scenario", d.String()+".wat"))
		if err != nil {
			t.Fatal(err)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		line := func(text string) string {
			i := bytes.Index(src, []byte(text))
			if i < 0 {
				t.Fatalf("%s has no %q", path, text)
			}
			return strconv.Itoa(1 + bytes.Count(src[:i], []byte("\n")))
		}
		w := d.Info().Words
		stack := w.Noun // the topic of info for the stack of a frame
		if stack == "stack" {
			stack = "coroutine"
		}
		resume, suspend := w.Resume, w.Suspend
		if suspend == "" { // one event for both
			resume, suspend = "switch", "switch"
		}
		steps := [][2]string{ // what it is, and the command
			{"break at the count", "break " + line("(local.set $i (i32.add (local.get $i)")},
			{"continue", "continue"},
			{"a new stack, where it begins", "print $source"},
			{"continue again", "continue"},
			{"stacks", "stacks"},
			{"tree", "tree"},
			{"backtrace", "backtrace"},
			{"the clauses in force", "handlers"},
			{"history", "history"},
			{"another stack", "stack 2"},
			{"what it is", "info " + stack},
			{"as a value", "print #2"},
			{"its variables", "locals"},
			{"catch", "catch"},
			{"catch resume", "catch " + resume},
			{"catch suspend", "tcatch " + suspend},
			{"catch create", "tcatch create"},
			{"catch finish", "catch finish"},
			{"delete", "delete 1"},
			{"go on to the answer", "continue"},
			{"where control can go", "stepto"},
			{"go on to the request", "continue"},
			{"where control can go from there", "stepto"},
			{"look at the one that answered", "stack 3"},
			{"it, as a value", "print #3"},
			{"cancel it with a tag", "cancel #3 $nothing"},
			{"start its frame again", "again"},
			{"release it", "cancel #3"},
			{"use it", "continue"},
			{"why", "why"},
			{"go on", "continue"},
			{"to the end", "delete"},
			{"the end", "continue"},
			{"quit", "quit"},
		}
		var in strings.Builder
		for _, s := range steps {
			in.WriteString(s[1] + "\n")
		}
		var out bytes.Buffer
		Run(context.Background(), Options{
			Launch: dap.Launch{Program: path, Invoke: "run", Args: []string{"7"}},
			Server: dap.Config{Load: launch.Load}, In: strings.NewReader(in.String()), Out: &out, Err: &out,
		})
		text := strings.ReplaceAll(out.String(), root+string(filepath.Separator), "")
		said := regexp.MustCompile(`(?m)^  consumed `).ReplaceAllString(text, "") // the name of a filter
		for _, f := range sidebyside.Foreign(d, said) {
			t.Errorf("%s: %s", d, f)
		}
		parts := strings.Split(regexp.MustCompile(`(?m)^\(wasm\) (.*)\n?`).ReplaceAllString(text, "\x00$1\n"), "\x00")
		log.Add("start", d, parts[0])
		for i, p := range parts[1:] {
			if i < len(steps) {
				log.Add(steps[i][0], d, "(wasm) "+p)
			}
		}
	}
	golden(t, "designs", log.String())
}

// TestSchedulersSideBySide stops in a worker of a tree of schedulers, in each design, and shows who
// manages whom.
func TestSchedulersSideBySide(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	root, _ := os.Getwd()
	var log sidebyside.Log
	for _, d := range wasm.Dialects() {
		name := filepath.Join("testdata", "examples", d.String(), "scheduler-tree.wat")
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		i := bytes.Index(src, []byte("local.set $sum (i32.add"))
		if i < 0 {
			t.Fatalf("%s has changed", name)
		}
		in := "break scheduler-tree.wat:" + strconv.Itoa(1+bytes.Count(src[:i], []byte("\n"))) +
			"\ncontinue\ninfo schedulers\nquit\n"
		var out bytes.Buffer
		Run(context.Background(), Options{
			Launch: dap.Launch{Program: filepath.Join(root, strings.TrimSuffix(name, "wat")+"wast")},
			Server: dap.Config{Load: launch.Load}, In: strings.NewReader(in), Out: &out, Err: &out,
		})
		_, shown, _ := strings.Cut(strings.ReplaceAll(out.String(), root+string(filepath.Separator), ""), "info schedulers\n")
		shown = strings.TrimSuffix(shown, "(wasm) quit\n")
		for _, f := range sidebyside.Foreign(d, shown) {
			t.Errorf("%s: %s", d, f)
		}
		log.Add("info schedulers", d, shown)
	}
	golden(t, "schedulers", log.String())
}

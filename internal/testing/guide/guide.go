// Package guide runs the commands that the pages of docs/guide show, and compares what they print
// with what the pages say.
//
// A fenced block of the language `console` holds command lines, each after `$ `, and their output.
// What stands after the prompt `(wasm) ` is the input of the terminal debugger. A block after a
// line `<!-- file: NAME -->` is a file that later commands can name. Commands run in a folder that
// also holds the examples of testdata/examples/cont, and for a page with the name of a language the
// files of testdata/programs/LANGUAGE.
package guide

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Command runs a program with arguments and returns its exit code.
type Command func(args []string, stdin io.Reader, stdout, stderr io.Writer) int

const prompt = "(wasm) "

// Test runs the commands of one program in each page below docs/guide. root leads to the top of the
// tree from the current folder. With update it rewrites the pages instead of comparing them.
func Test(t *testing.T, root, program string, update bool, run Command) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "guide", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for i, p := range pages {
		if pages[i], err = filepath.Abs(p); err != nil {
			t.Fatal(err)
		}
	}
	examples, err := filepath.Abs(filepath.Join(root, "testdata", "examples", "cont"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.CopyFS(".", os.DirFS(examples)); err != nil {
				t.Fatal(err)
			}
			language := strings.TrimSuffix(filepath.Base(page), ".md")
			copyFiles(t, filepath.Join(filepath.Dir(examples), "..", "programs", language))
			old, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			text := execute(t, string(old), program, run)
			switch {
			case text == string(old):
			case update:
				if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("%s differs from what %s prints; -update rewrites it:\n%s", page, program, text)
			}
		})
	}
}

// copyFiles copies the files of a folder into the current one, if the folder exists.
func copyFiles(t *testing.T, from string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(e.Name(), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// execute returns the page with the output that the program's commands have.
func execute(t *testing.T, page, program string, run Command) string {
	var out strings.Builder
	lines := strings.SplitAfter(page, "\n")
	file := ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		out.WriteString(line)
		if name, ok := strings.CutPrefix(line, "<!-- file: "); ok {
			file = strings.TrimSuffix(strings.TrimSpace(name), " -->")
			continue
		}
		language, ok := strings.CutPrefix(line, "```")
		if !ok {
			continue
		}
		var block []string
		for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
			block = append(block, lines[i])
		}
		switch {
		case file != "":
			if err := os.WriteFile(file, []byte(strings.Join(block, "")), 0o644); err != nil {
				t.Fatal(err)
			}
			file = ""
		case strings.TrimSpace(language) == "console":
			block = console(t, block, program, run)
		}
		for _, l := range block {
			out.WriteString(l)
		}
		if i < len(lines) {
			out.WriteString(lines[i])
		}
	}
	return out.String()
}

// console returns a block with the output that its commands have now.
func console(t *testing.T, block []string, program string, run Command) []string {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	here += string(filepath.Separator)
	var out []string
	for i := 0; i < len(block); {
		line := block[i]
		end := i + 1
		for end < len(block) && !strings.HasPrefix(block[end], "$ ") {
			end++
		}
		args := words(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		if !strings.HasPrefix(line, "$ ") || args[0] != program {
			out = append(out, block[i:end]...)
			i = end
			continue
		}
		var input strings.Builder
		for _, l := range block[i+1 : end] {
			if typed, ok := strings.CutPrefix(l, prompt); ok {
				input.WriteString(typed)
			}
		}
		var output bytes.Buffer
		run(args[1:], strings.NewReader(input.String()), &output, &output)
		text := strings.ReplaceAll(output.String(), here, "")
		out = append(out, line)
		for l := range strings.SplitAfterSeq(text, "\n") {
			if l != "" {
				out = append(out, strings.TrimRight(l, " \n")+"\n")
			}
		}
		i = end
	}
	return out
}

// words splits a command line at spaces outside of single quotes.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

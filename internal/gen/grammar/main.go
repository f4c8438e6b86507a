// Command grammar writes the TextMate grammar of the text format, made from the instruction table,
// to standard output: `go run ./internal/gen/grammar >
// editors/vscode/syntaxes/wat.tmLanguage.json`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"stackscope/internal/gen/grammar/tm"
)

func main() {
	w := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(tm.Grammar()); err == nil {
		err = w.Flush()
		if err == nil {
			return
		}
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

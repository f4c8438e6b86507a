package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// side is a server with its measurements.
type side struct {
	name     string
	command  []string
	sessions int
	rounds   int
	limit    time.Duration
	only     string
	got      map[string][]sample
	gaveUp   map[string]bool // works that took longer than the limit
	ended    string          // why there are no more sessions, if not for their number
}

const uri = "file:///bench.wat"

type dict = map[string]any

// lints switches off the peer's lints, its best case: several are quadratic in the size of the
// text.
var lints = dict{
	"shadow": "allow", "unused": "allow", "unread": "allow",
	"unreachable": "allow", "implicitModule": "allow", "multiModules": "allow",
	"deprecated": "allow", "needlessMut": "allow", "needlessTryTable": "allow",
	"uselessCatch": "allow", "omittedIdxInInstr": "allow",
}

// session is one process from its start to its end.
type session struct {
	*side
	c         *client
	text      string
	version   int
	line, col int    // after the last digit of a constant in the middle of the text
	resultID  string // of the last token report
	digit     int
	names     [2]string // of the function that is renamed to and fro
	delta     bool      // the server reports tokens as a delta
	lacks     []string  // requests that the server does not answer
}

// session measures one session. Works that once took longer than the limit are left out.
func (s *side) session(text string) error {
	if s.got == nil {
		s.got, s.gaveUp = map[string][]sample{}, map[string]bool{}
	}
	c, err := start(exec.Command(s.command[0], s.command[1:]...), s.limit)
	if err != nil {
		return err
	}
	defer c.stop()
	x := &session{side: s, c: c, text: text, version: 1, names: [2]string{"log", "out"}}
	if err := x.open(); errors.Is(err, errLimit) {
		s.ended = "> " + s.limit.String() // nor would another session get further
		return nil
	} else if err != nil {
		return err
	}
	for range s.rounds {
		for _, w := range x.round() {
			if s.gaveUp[w.name] || !strings.Contains(w.name, s.only) {
				continue
			}
			if err := w.do(w.name); err != nil {
				if errors.Is(err, errLimit) {
					s.gaveUp[w.name] = true
					return nil // the server is gone
				}
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	if m := rss(c.cmd.Process.Pid); m > 0 {
		s.got[memory] = append(s.got[memory], sample{wall: float64(m)})
	}
	return nil
}

// timed records how long a piece of work takes.
func (x *session) timed(name string, f func() error) error {
	cpu, t := cpuTime(x.c.cmd.Process.Pid), time.Now()
	if err := f(); err != nil {
		return err
	}
	d := time.Since(t).Seconds()
	x.got[name] = append(x.got[name], sample{d, cpuTime(x.c.cmd.Process.Pid) - cpu})
	return nil
}

func (x *session) open() error {
	b, err := x.c.call("initialize", dict{
		"processId": nil, "rootUri": nil, "initializationOptions": dict{"lint": lints},
		"capabilities": dict{"general": dict{"positionEncodings": []string{"utf-16"}},
			"textDocument": dict{
				"diagnostic":      dict{},
				"documentSymbol":  dict{"hierarchicalDocumentSymbolSupport": true},
				"foldingRange":    dict{},
				"codeLens":        dict{},
				"documentLink":    dict{},
				"synchronization": dict{},
				"hover":           dict{},
				"completion":      dict{},
				"rename":          dict{},
				"semanticTokens": dict{
					"requests": dict{
						"full": dict{"delta": true},
					}, "tokenTypes": []string{}, "tokenModifiers": []string{}, "formats": []string{"relative"}},
			}},
	})
	if err != nil {
		return err
	}
	var init struct {
		Result struct {
			Capabilities struct {
				SemanticTokensProvider struct {
					Full json.RawMessage
				}
				DocumentSymbolProvider, FoldingRangeProvider, CodeLensProvider, DocumentLinkProvider json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(b, &init); err != nil {
		return err
	}
	caps := &init.Result.Capabilities
	for method, provider := range map[string]json.RawMessage{
		"textDocument/documentSymbol": caps.DocumentSymbolProvider, "textDocument/foldingRange": caps.FoldingRangeProvider,
		"textDocument/codeLens": caps.CodeLensProvider, "textDocument/documentLink": caps.DocumentLinkProvider,
	} {
		if p := string(provider); p == "" || p == "false" || p == "null" {
			x.lacks = append(x.lacks, method)
		}
	}
	x.delta = strings.Contains(string(init.Result.Capabilities.SemanticTokensProvider.Full), `"delta":true`)
	if err := x.c.notify("initialized", dict{}); err != nil {
		return err
	}
	// A constant in the middle of the text: its last digit is what is edited.
	mid := len(x.text)/2 + strings.Index(x.text[len(x.text)/2:], "(i32.const ")
	digit := mid + strings.IndexByte(x.text[mid:], ')')
	x.line = strings.Count(x.text[:digit], "\n")
	x.col = digit - strings.LastIndexByte(x.text[:digit], '\n') - 1
	return x.timed(cold, func() error {
		if err := x.c.notify("textDocument/didOpen", dict{"textDocument": dict{"uri": uri, "languageId": "wat",
			"version": 1, "text": x.text}}); err != nil {
			return err
		}
		return x.diagnostics()
	})
}

type step struct {
	name string
	do   func(name string) error
}

// round returns the works of a round in their order.
func (x *session) round() []step {
	at := dict{"textDocument": dict{"uri": uri}, "position": dict{"line": x.line, "character": x.col - 2}}
	ask := func(method string) func(string) error {
		return func(name string) error {
			return x.timed(name, func() error {
				if err := x.turnDigit(); err != nil {
					return err
				}
				_, err := x.c.call(method, at)
				return err
			})
		}
	}
	return []step{
		{editDiag, func(name string) error {
			return x.timed(name, func() error {
				if err := x.turnDigit(); err != nil {
					return err
				}
				return x.diagnostics()
			})
		}},
		{parenDiag, x.paren},
		{editHover, ask("textDocument/hover")},
		{editDef, ask("textDocument/definition")},
		{editCompletion, ask("textDocument/completion")},
		{editTokens, x.tokens},
		{editSymbols, x.whole("textDocument/documentSymbol")},
		{editFolds, x.whole("textDocument/foldingRange")},
		{editLenses, x.whole("textDocument/codeLens")},
		{editLinks, x.whole("textDocument/documentLink")},
		{renameDiag, x.rename},
	}
}

func (x *session) diagnostics() error {
	_, err := x.c.call("textDocument/diagnostic", dict{"textDocument": dict{"uri": uri}})
	return err
}

// change sends edits, each to the text that the one before left.
func (x *session) change(edits ...dict) error {
	x.version++
	return x.c.notify(
		"textDocument/didChange",
		dict{"textDocument": dict{"uri": uri, "version": x.version}, "contentChanges": edits},
	)
}

func (x *session) edit(from, to int, with string) dict {
	return dict{
		"range": dict{"start": dict{"line": x.line, "character": from}, "end": dict{"line": x.line, "character": to}},
		"text":  with,
	}
}

// turnDigit writes another digit in the place of the constant's last.
func (x *session) turnDigit() error {
	x.digit++
	return x.change(x.edit(x.col-1, x.col, fmt.Sprint(x.digit%9+1)))
}

// paren types a parenthesis, and takes it away again untimed.
func (x *session) paren(name string) error {
	err := x.timed(name, func() error {
		if err := x.change(x.edit(x.col, x.col, "(")); err != nil {
			return err
		}
		return x.diagnostics()
	})
	if err != nil {
		return err
	}
	if err := x.change(x.edit(x.col, x.col+1, "")); err != nil {
		return err
	}
	return x.diagnostics()
}

// tokens measures what an editor asks for after an edit: the delta to the previous report, if the
// server sends deltas. The previous report is not timed.
func (x *session) tokens(name string) error {
	if !x.delta {
		return x.timed(name, func() error {
			if err := x.turnDigit(); err != nil {
				return err
			}
			_, err := x.c.call("textDocument/semanticTokens/full", dict{"textDocument": dict{"uri": uri}})
			return err
		})
	}
	ask := func() ([]byte, error) {
		if x.resultID == "" {
			return x.c.call("textDocument/semanticTokens/full", dict{"textDocument": dict{"uri": uri}})
		}
		return x.c.call(
			"textDocument/semanticTokens/full/delta",
			dict{"textDocument": dict{"uri": uri}, "previousResultId": x.resultID},
		)
	}
	b, err := ask()
	if err != nil {
		return err
	}
	if err := x.noteResult(b); err != nil {
		return err
	}
	err = x.timed(name, func() (err error) {
		if err := x.turnDigit(); err != nil {
			return err
		}
		b, err = ask()
		return err
	})
	if err != nil {
		return err
	}
	if !bytes.Contains(b[:min(len(b), 200)], []byte(`"edits"`)) {
		return fmt.Errorf("no delta: %.200s", b)
	}
	return x.noteResult(b)
}

// whole returns a work that asks about the document as a whole after an edit. The server has
// answered the same question about the text before, untimed. A server without the request is not
// measured.
func (x *session) whole(method string) func(string) error {
	return func(name string) error {
		if slices.Contains(x.lacks, method) {
			return nil
		}
		ask := func() error {
			_, err := x.c.call(method, dict{"textDocument": dict{"uri": uri}})
			return err
		}
		if err := ask(); err != nil {
			return err
		}
		return x.timed(name, func() error {
			if err := x.turnDigit(); err != nil {
				return err
			}
			return ask()
		})
	}
}

func (x *session) noteResult(b []byte) error {
	var r struct{ Result struct{ ResultID string } }
	err := json.Unmarshal(b, &r)
	x.resultID = r.Result.ResultID
	return err
}

type position struct{ Line, Character int }

type textEdit struct {
	Range   struct{ Start, End position }
	NewText string
}

// rename renames the function, makes the edits of the answer in the text, and asks for the
// diagnostics: the time of the request, and from the edits to the diagnostics. What the client does
// in between does not count.
func (x *session) rename(name string) error {
	decl := strings.Index(x.text, "(func $log") + len("(func $")
	line := strings.Count(x.text[:decl], "\n")
	at := dict{"line": line, "character": decl - strings.LastIndexByte(x.text[:decl], '\n') - 1}
	cpu, t := cpuTime(x.c.cmd.Process.Pid), time.Now()
	b, err := x.c.call(
		"textDocument/rename",
		dict{"textDocument": dict{"uri": uri}, "position": at, "newName": "$" + x.names[1]},
	)
	if err != nil {
		return err
	}
	spent := sample{time.Since(t).Seconds(), cpuTime(x.c.cmd.Process.Pid) - cpu}
	edits, err := editsOf(b)
	if err != nil {
		return err
	}
	if want := strings.Count(x.text, "$log"); len(edits) < want/2 {
		return fmt.Errorf("%d edits for %d uses", len(edits), want)
	}
	x.names[0], x.names[1] = x.names[1], x.names[0]
	cpu, t = cpuTime(x.c.cmd.Process.Pid), time.Now()
	if err := x.change(edits...); err != nil {
		return err
	}
	if err := x.diagnostics(); err != nil {
		return err
	}
	spent.wall += time.Since(t).Seconds()
	spent.cpu += cpuTime(x.c.cmd.Process.Pid) - cpu
	x.got[name] = append(x.got[name], spent)
	return nil
}

// editsOf returns the edits of a workspace edit as an editor sends them back: the last one first.
func editsOf(answer []byte) ([]dict, error) {
	var r struct {
		Result struct {
			Changes         map[string][]textEdit
			DocumentChanges []struct{ Edits []textEdit }
		}
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return nil, err
	}
	es := r.Result.Changes[uri]
	for _, c := range r.Result.DocumentChanges {
		es = append(es, c.Edits...)
	}
	slices.SortFunc(es, func(a, b textEdit) int {
		if a.Range.Start.Line != b.Range.Start.Line {
			return b.Range.Start.Line - a.Range.Start.Line
		}
		return b.Range.Start.Character - a.Range.Start.Character
	})
	out := make([]dict, len(es))
	for i, e := range es {
		out[i] = dict{
			"range": dict{
				"start": dict{"line": e.Range.Start.Line, "character": e.Range.Start.Character},
				"end":   dict{"line": e.Range.End.Line, "character": e.Range.End.Character},
			},
			"text": e.NewText,
		}
	}
	return out, nil
}

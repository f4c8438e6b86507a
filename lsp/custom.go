package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis"
	"stackscope/analysis/diag"
	"stackscope/analysis/ide"
	"stackscope/lsp/internal/workspace"
)

// customRequest is a request of our own, beside those of the protocol.
type customRequest struct {
	method string
	doc    string // one sentence
	params reflect.Type
	result reflect.Type
	answer func(s *ownRequests, ctx context.Context, raw []byte) (any, error)
}

// custom makes the row of a request. An error of answer is for the user.
func custom[P, R any](
	method, doc string, answer func(s *ownRequests, ctx context.Context, p P) (R, error),
) customRequest {
	return customRequest{
		method, doc, reflect.TypeFor[P](), reflect.TypeFor[R](),
		func(s *ownRequests, ctx context.Context, raw []byte) (any, error) {
			var p P
			if err := protocol.Unmarshal(raw, &p); err != nil {
				return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "invalid params: %v", err)
			}
			r, err := answer(s, ctx, p)
			if err != nil {
				return nil, jsonrpc2.Errorf(requestFailed, "%s", err)
			}
			return r, nil
		},
	}
}

// customRequests are the requests of our own.
var customRequests = []customRequest{
	custom("stackscope/explain", "Returns the explanation of a diagnostic code.", (*ownRequests).explain),
	custom("stackscope/print",
		"Returns the text of a binary module, which an editor shows as a document of the scheme `wasm-text`.",
		(*ownRequests).print),
	custom("stackscope/exports", "Returns what a file can run: its exported functions and the default one.",
		(*ownRequests).exports),
	custom("stackscope/protocol",
		"Returns the protocol of a function: the states that its fiber, task or coroutine stands in, and what it takes in each.",
		(*ownRequests).protocol),
	custom("stackscope/builtFrom",
		"Returns which of some programs are built from a source file, by what their debugging information names.",
		(*ownRequests).builtFrom),
	custom("stackscope/arguments", "Splits the arguments typed for an export and checks them against its parameters.",
		(*ownRequests).arguments),
}

// Request answers the requests that are not part of the protocol.
func (s *ownRequests) Request(ctx context.Context, method string, params any) (any, error) {
	raw, err := protocol.Marshal(params)
	if err != nil {
		return nil, err
	}
	for _, r := range customRequests {
		if r.method == method {
			return r.answer(s, ctx, raw)
		}
	}
	return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "method not found: %q", method)
}

// explainParams names a code.
type explainParams struct {
	Code diag.Code `json:"code" doc:"The code of a diagnostic."`
}

// explainResult is its explanation.
type explainResult struct {
	Markdown string `json:"markdown" doc:"The explanation, as Markdown."`
}

// explain answers `stackscope/explain`.
func (s *ownRequests) explain(_ context.Context, p explainParams) (explainResult, error) {
	i := diag.Lookup(p.Code)
	if i == nil {
		return explainResult{}, fmt.Errorf("unknown diagnostic code %q", p.Code)
	}
	return explainResult{i.Markdown(1)}, nil
}

// docLink returns where a diagnostic's code is explained: the client's own command, if it has one
// for this, else the public page that has the rule; "" if there is neither.
func (s *session) docLink(code diag.Code) uri.URI {
	if s.caps.explain == "" || diag.Lookup(code) == nil {
		return uri.URI(diag.SpecLink(code))
	}
	args, err := json.Marshal([]diag.Code{code})
	if err != nil {
		return ""
	}
	return uri.URI("command:" + s.caps.explain + "?" + url.PathEscape(string(args)))
}

// printParams names a .wasm file.
type printParams struct {
	URI uri.URI `json:"uri" doc:"A .wasm file."`
}

// printResult is its text.
type printResult struct {
	Text string `json:"text" doc:"The module in the text format."`
}

// print answers `stackscope/print`.
func (s *ownRequests) print(ctx context.Context, p printParams) (printResult, error) {
	src, err := workspace.PrintBinary(ctx, p.URI)
	return printResult{src}, err
}

// protocolParams names a function of a document.
type protocolParams struct {
	URI      uri.URI            `json:"uri" doc:"An open document."`
	Position *protocol.Position `json:"position,omitempty" doc:"A place in the function."`
	Function string             `json:"function,omitempty" doc:"The name of the function, or its number, instead of a place."`
}

// protocolResult is the protocol of the function, or what there is to choose from.
type protocolResult struct {
	Functions []machineFunction `json:"functions" doc:"The functions of the document that stacks begin with."`
	Machine   *machineResult    `json:"machine,omitempty" doc:"The protocol of the function; absent if no function is named, or if it never gives up control."`
	Text      string            `json:"text,omitempty" doc:"The protocol as lines of text, one for each state."`
	Mermaid   string            `json:"mermaid,omitempty" doc:"The protocol as a state diagram of Mermaid."`
	DOT       string            `json:"dot,omitempty" doc:"The protocol as a graph for Graphviz."`
	SVG       string            `json:"svg,omitempty" doc:"The protocol as a drawing without scripts; its texts have the color that is current."`
}

// machineFunction is a function that has a protocol.
type machineFunction struct {
	Name  string         `json:"name" doc:"The name of the function, or its number."`
	Noun  string         `json:"noun" doc:"What begins with it: continuation, stack, fiber or task."`
	Range protocol.Range `json:"range" doc:"The place of its name."`
}

// machineResult is a protocol.
type machineResult struct {
	Function    string        `json:"function" doc:"The name of the function, or its number."`
	Begins      bool          `json:"begins" doc:"Whether stacks begin with the function."`
	States      []stateResult `json:"states" doc:"The states; the first is where it begins."`
	Transitions []stepResult  `json:"transitions" doc:"The ways from a state to the next one."`
	Notes       []string      `json:"notes,omitempty" doc:"What is missing."`
	Partial     bool          `json:"partial,omitempty" doc:"Whether states are missing, for there are too many."`
}

// stateResult is a state of a protocol.
type stateResult struct {
	Label    string          `json:"label" doc:"The state, in the words of the design."`
	Kind     string          `json:"kind" doc:"start, suspended, waiting (for a stack that it resumed) or end."`
	Op       string          `json:"op,omitempty" doc:"The instruction at which control leaves the stack."`
	Function string          `json:"function,omitempty" doc:"The function that it stands in."`
	Sends    []string        `json:"sends,omitempty" doc:"The events that the other stack gets."`
	Range    *protocol.Range `json:"range,omitempty" doc:"The place of the instruction."`
}

// stepResult is a transition of a protocol.
type stepResult struct {
	From  int    `json:"from" doc:"The number of a state, from 0."`
	To    int    `json:"to" doc:"The number of the next state."`
	Takes string `json:"takes" doc:"The event that leads there, or a word: resume, return, exception, call."`
}

// protocol answers `stackscope/protocol`.
func (s *ownRequests) protocol(ctx context.Context, a protocolParams) (protocolResult, error) {
	r := protocolResult{Functions: []machineFunction{}}
	d, err := s.doc(ctx, a.URI)
	if err != nil {
		return r, err
	}
	snap := d.Snapshot()
	for _, l := range ide.ProtocolLenses(snap) {
		r.Functions = append(r.Functions, machineFunction{l.Name, l.Noun, s.rng(d.File(), l.Span)})
	}
	var m *analysis.Module
	var fn uint32
	found := false
	switch {
	case a.Function != "":
		for _, x := range snap.Modules() {
			if fn, found = ide.FuncNamed(x, a.Function); found {
				m = x
				break
			}
		}
		if !found {
			return r, fmt.Errorf("there is no function %s", a.Function)
		}
	case a.Position != nil:
		off := s.offset(d.File(), *a.Position)
		for _, x := range snap.Modules() {
			if x.Span().Contains(off) || len(snap.Modules()) == 1 {
				if fn, found = x.FuncAt(off); found {
					m = x
				}
			}
		}
	}
	if m == nil {
		return r, nil
	}
	info, ok := ide.ProtocolOf(m, fn)
	if !ok {
		return r, nil
	}
	data := info.Machine(d.File())
	res := &machineResult{
		Function: data.Function, Begins: data.Begins, Notes: data.Notes, Partial: data.Partial,
		States: []stateResult{}, Transitions: []stepResult{},
	}
	for i, x := range data.States {
		st := stateResult{Label: x.Label, Kind: string(x.Kind), Op: x.Op, Function: x.Function, Sends: x.Sends}
		if x.Op != "" {
			at := s.rng(d.File(), info.States[i].Place)
			st.Range = &at
		}
		res.States = append(res.States, st)
	}
	for _, x := range data.Transitions {
		res.Transitions = append(res.Transitions, stepResult{x.From, x.To, x.Takes})
	}
	r.Machine = res
	g := &info.Diagram
	r.Text, r.Mermaid, r.DOT, r.SVG = g.Text(0), g.Mermaid(), g.DOT(), g.SVG()
	return r, nil
}

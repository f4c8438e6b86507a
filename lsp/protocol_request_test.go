package lsp

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/wasm"
)

// generators are a generator of each design.
var generators = map[wasm.Dialect]string{
	wasm.DialectCont: `(module (type $f (func)) (type $ct (cont $f)) (tag $value (param i32))
  (elem declare func $gen)
  (func $gen (suspend $value (i32.const 1)))
  (func (export "new") (result (ref $ct)) (cont.new $ct (ref.func $gen))))`,
	wasm.DialectStacks: `(module (rec (type $to (stack (param i32) (ref null $back))) (type $back (stack (ref null $to))))
  (func $gen (param $k (ref null $to)) (switch $to (i32.const 1) (local.get $k)) (local.set $k) (switch_retire $to (i32.const 2) (local.get $k)))
  (func (export "new") (result (ref $back)) (stack.new $back $gen)))`,
	wasm.DialectFibersMount: `(module (tag $value (param i32)) (tag $next) (tag $done)
  (func $gen (param $me (ref fiber)) (block $l (fiber.dismount $value ($next $l) (i32.const 1) (local.get $me)) (unreachable)))
  (func (export "new") (result (ref fiber)) (fiber.new $done ($next $gen))))`,
	wasm.DialectFibersHandle: `(module (type $ft (fiber)) (tag $value (param i32)) (tag $next)
  (func $gen (param $me (ref $ft)) (event $next (handle (fiber.suspend $value (local.get $me) (i32.const 1)) (event $next))))
  (func (export "new") (result (ref $ft)) (fiber.new $gen)))`,
	wasm.DialectTasks: `(module (tag $value (param i32)) (tag $next) (tag $done)
  (func $gen (param $me taskref) (block $s (event.switch ($next $s)))
    (block $l (task.suspend $value (local.get $me) (i32.const 1)) (event.switch ($next $l))) (task.retire $done (local.get $me)))
  (func (export "new") (result (ref task)) (task.new $gen)))`,
}

// In each design the protocol of a generator has three states and its own words; it is found by a
// place and by a name; hover and lens lead to it.
func TestProtocolRequest(t *testing.T) {
	c := newClient(t, clientOptions{encoding: "utf-16", pull: true, init: `{"protocol": "show"}`})
	defer c.close()
	for _, d := range wasm.Dialects() {
		text := generators[d]
		u := uri.URI("file:///" + d.String() + ".wat")
		c.open(u, text)
		at := strings.Index(text, "$gen (")
		line := strings.Count(text[:at], "\n")
		pos := protocol.Position{Line: uint32(line), Character: uint32(at - strings.LastIndex(text[:at], "\n") - 1)}
		var last string
		for _, p := range []protocolParams{{URI: u, Position: &pos}, {URI: u, Function: "$gen"}, {URI: u, Function: "gen"}} {
			r, err := ask[protocolResult](t, c, "stackscope/protocol", p)
			if err != nil {
				t.Fatal(d, err)
			}
			if len(r.Functions) != 1 || r.Functions[0].Name != "$gen" || r.Functions[0].Noun != d.Info().Noun ||
				r.Functions[0].Range.Start != pos {
				t.Errorf("%s: %+v", d, r.Functions)
			}
			m := r.Machine
			if m == nil || m.Function != "$gen" || !m.Begins || len(m.States) < 3 || len(m.Transitions) < 2 {
				t.Fatalf("%s: %+v", d, m)
			}
			if m.States[0].Label != "new" || m.States[0].Kind != "start" || m.States[0].Range != nil {
				t.Errorf("%s: the first state is %+v", d, m.States[0])
			}
			word := d.Info().Suspended
			found := false
			for _, s := range m.States {
				if strings.HasPrefix(s.Label, word) && s.Kind == "suspended" && s.Range != nil && int(s.Range.Start.Line) >= line {
					found = true
				}
			}
			if !found {
				t.Errorf("%s: no state is %q: %+v", d, word, m.States)
			}
			for what, out := range map[string]string{"text": r.Text, "mermaid": r.Mermaid, "dot": r.DOT, "svg": r.SVG} {
				if !strings.Contains(out, "new") {
					t.Errorf("%s: the %s is %q", d, what, out)
				}
			}
			if last != "" && r.SVG != last {
				t.Errorf("%s: a place and a name have different protocols", d)
			}
			last = r.SVG
		}
		if r, err := ask[protocolResult](t, c, "stackscope/protocol", protocolParams{URI: u}); err != nil || r.Machine != nil ||
			len(r.Functions) != 1 {
			t.Errorf("%s, without a function: %v %+v", d, err, r)
		}
		if _, err := ask[protocolResult](t, c, "stackscope/protocol", protocolParams{URI: u, Function: "$nobody"}); err == nil {
			t.Errorf("%s: a function that is not there has a protocol", d)
		}
		id := protocol.TextDocumentIdentifier{URI: u}
		lenses, err := c.CodeLens(t.Context(), &protocol.CodeLensParams{TextDocument: id})
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, l := range lenses {
			if l.Command.Command == "show" && l.Command.Title == titleProtocol && l.Range.Start == pos {
				shown++
			}
		}
		if shown != 1 {
			t.Errorf("%s: lenses %+v", d, lenses)
		}
		h, err := c.Hover(t.Context(), &protocol.HoverParams{
			TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: id, Position: pos},
		})
		if err != nil || h == nil {
			t.Fatal(d, err)
		}
		if md := string(must(protocol.Marshal(h.Contents))); !strings.Contains(md, "States of a "+d.Info().Noun) {
			t.Errorf("%s: hover %s", d, md)
		}
	}
}

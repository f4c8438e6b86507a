package termdbg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"stackscope/wasm"
)

// dataView evaluates and sets expressions, and shows variables and displays.
type dataView struct {
	*target
	displays    []display
	lastDisplay int // the number given last
}

// display is an expression that is shown at every stop.
type display struct {
	n     int
	expr  string
	value string
}

const formatHelp = `Formats are x (hexadecimal), t or b (binary), o (octal), d (signed), u (unsigned), f (the bits as a
float), h (a hexadecimal float), c (character) and s (the text at this address): print/x $i.`

func (dv *dataView) commands() []cmd {
	return []cmd{
		{
			name: "print", aliases: []string{"p", "inspect"}, group: data, args: "[-full] EXPRESSION",
			short: "evaluate p->next, $x, #3, $p.$field, i32[16], or (i32.add (local.get $x) (i32.const 1))",
			slash: true,
			long: formatHelp +
				"\n-full shows whole structures and arrays. An expression with = assigns: print $x = 5.",
			serves: []string{"evaluate", "variables"}, words: exprWords, run: dv.cmdPrint,
		},
		{
			name: "call", group: data, args: "FUNCTION(VALUE, …) | EXPRESSION",
			short: "call a function, or evaluate an expression that may assign", once: true, slash: true,
			words: exprWords, run: func(a args) { dv.print(a, "repl") },
		},
		{
			name: "set", group: data, args: "[var] DATUM = VALUE",
			short: "set a local, global, field, element or memory", once: true,
			serves: []string{"setExpression", "setVariable"}, words: exprWords, run: dv.cmdSet,
		},
		{
			name: "whatis", aliases: []string{"ptype"}, group: data, args: "EXPRESSION",
			short:  "show the type of an expression and the origin of its value",
			serves: []string{"locations"}, words: exprWords, run: dv.cmdWhatis,
		},
		{
			name: "display", aliases: []string{"disp"}, group: data, args: "[EXPRESSION]",
			short: "show an expression at every stop; without arguments, show all now", slash: true,
			words: exprWords, run: dv.cmdDisplay,
		},
		{
			name: "undisplay", aliases: []string{"undisp"}, group: data, args: "[N…]",
			short: "delete displays; without arguments, all", once: true, run: dv.cmdUndisplay,
		},
	}
}

// letters maps formats of gdb to those of the adapter.
var letters = map[string]string{
	"x": "x", "z": "x", "a": "x", "t": "b", "b": "b", "o": "o", "d": "d", "u": "u", "f": "f", "h": "h",
	"c": "c", "s": "s",
}

// formatted adds a format to an expression.
func formatted(expr, format string) (string, error) {
	if format == "" {
		return expr, nil
	}
	l, ok := letters[format]
	if !ok {
		return "", fmt.Errorf("%q is not a format: use x, t, o, d, u, f, h, c or s", format)
	}
	return expr + "," + l, nil
}

func (dv *dataView) cmdPrint(a args) {
	context := "watch"
	if rest, ok := strings.CutPrefix(a.text, "-full "); ok {
		a.text, context = strings.TrimSpace(rest), "clipboard"
	}
	if assigns(a.text) {
		context = "repl"
	}
	dv.print(a, context)
}

// assigns reports whether an expression is an assignment.
func assigns(s string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == '=' && depth == 0:
			return !(i > 0 && strings.IndexByte("=<>!", s[i-1]) >= 0) && !(i+1 < len(s) && s[i+1] == '=')
		}
	}
	return false
}

// consoleWords are the words of the adapter's console, which are not expressions here.
var consoleWords = map[string]bool{
	"continue": true, "next": true, "step": true, "out": true, "tree": true, "schedulers": true, "stacks": true,
	"history": true, "help": true,
}

func (dv *dataView) print(a args, context string) {
	if a.text == "" {
		dv.failf("missing expression, such as print $x")
		return
	}
	expr, err := formatted(a.text, a.format)
	if err != nil {
		dv.fail(err)
		return
	}
	if word, _, _ := strings.Cut(a.text, " "); consoleWords[a.text] || word == "cancel" {
		context = "watch"
	}
	if !dv.standing() {
		return
	}
	var b godap.EvaluateResponseBody
	if !dv.request("evaluate", godap.EvaluateArguments{Expression: expr, FrameId: dv.frameID(), Context: context}, &b) {
		return
	}
	t := ""
	if b.Type != "" {
		t = dv.paint("2", " : "+b.Type)
	}
	dv.printf("%s%s\n", b.Result, t)
	if f := dv.frame(); f != nil && inSource(f.Source) && !strings.Contains(b.Result, "…") {
		return // the line has it all, as gdb shows it
	}
	if b.VariablesReference > 0 && context != "clipboard" {
		dv.variables(b.VariablesReference, "  ")
	}
}

// variablesShown is how many children of a variable are shown.
const variablesShown = 200

// variables prints the children of a variable and returns how many there are.
func (dv *dataView) variables(ref int, indent string) int {
	var b godap.VariablesResponseBody
	if !dv.request("variables", godap.VariablesArguments{VariablesReference: ref, Count: variablesShown}, &b) {
		return 0
	}
	width := 0
	for _, v := range b.Variables {
		width = max(width, len([]rune(v.Name)))
	}
	for _, v := range b.Variables {
		t := ""
		if v.Type != "" {
			t = dv.paint("2", " : "+v.Type)
		}
		dv.printf("%s%-*s = %s%s\n", indent, width, v.Name, v.Value, t)
	}
	if len(b.Variables) >= variablesShown {
		dv.printf("%s… there may be more: use print to show one\n", indent)
	}
	return len(b.Variables)
}

func (dv *dataView) cmdSet(a args) {
	text := strings.TrimPrefix(strings.TrimPrefix(a.text, "variable "), "var ")
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		name, value, ok = strings.Cut(strings.TrimSpace(text), " ")
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" || value == "" {
		dv.failf("set needs a name and a value, such as set $x = 42")
		return
	}
	var b godap.SetExpressionResponseBody
	if dv.standing() &&
		dv.request("setExpression", godap.SetExpressionArguments{Expression: name, Value: value,
			FrameId: dv.frameID()}, &b) {
		dv.printf("%s = %s\n", name, b.Value)
	}
}

func (dv *dataView) cmdWhatis(a args) {
	if a.text == "" {
		dv.failf("whatis needs an expression")
		return
	}
	var b struct {
		godap.EvaluateResponseBody
		ValueLocationReference int `json:"valueLocationReference"`
	}
	if !dv.standing() ||
		!dv.request("evaluate", godap.EvaluateArguments{Expression: a.text, FrameId: dv.frameID(), Context: "watch"},
			&b) {
		return
	}
	t := b.Type
	if t == "" {
		t = "no type: " + b.Result
	}
	dv.printf("%s\n", t)
	if b.ValueLocationReference > 0 {
		var at struct {
			Source *godap.Source `json:"source"`
			Line   int           `json:"line"`
			Column int           `json:"column"`
		}
		err := dv.ask("locations", map[string]any{"locationReference": b.ValueLocationReference}, &at)
		if err == nil && at.Source != nil {
			dv.printf("  from %s:%d:%d\n", dv.name(at.Source), at.Line, at.Column)
		}
	}
}

func (dv *dataView) cmdDisplay(a args) {
	if a.text == "" {
		if len(dv.displays) == 0 {
			dv.printf("no displays\n")
			return
		}
		if dv.standing() {
			dv.showDisplays()
		}
		return
	}
	expr, err := formatted(a.text, a.format)
	if err != nil {
		dv.fail(err)
		return
	}
	dv.lastDisplay++
	dv.displays = append(dv.displays, display{n: dv.lastDisplay, expr: expr})
	if dv.alive && !dv.running {
		dv.showDisplay(&dv.displays[len(dv.displays)-1])
	}
}

func (dv *dataView) cmdUndisplay(a args) {
	if a.text == "" {
		dv.displays = nil
		return
	}
	for _, w := range strings.Fields(a.text) {
		n, err := strconv.Atoi(w)
		found := false
		for i := range dv.displays {
			if err == nil && dv.displays[i].n == n {
				dv.displays = append(dv.displays[:i], dv.displays[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			dv.failf("there is no display %s", w)
			return
		}
	}
}

// showDisplays shows the displayed expressions; a changed value is highlighted.
func (dv *dataView) showDisplays() {
	if !dv.alive {
		return
	}
	for i := range dv.displays {
		dv.showDisplay(&dv.displays[i])
	}
}

func (dv *dataView) showDisplay(x *display) {
	var b godap.EvaluateResponseBody
	value := ""
	a := godap.EvaluateArguments{Expression: x.expr, FrameId: dv.frameID(), Context: "watch"}
	if err := dv.ask("evaluate", a, &b); err != nil {
		value = "(" + err.Error() + ")"
	} else {
		value = b.Result
	}
	note := ""
	if x.value != "" && x.value != value {
		note = dv.paint("33", "  (was "+x.value+")")
	}
	x.value = value
	dv.printf("  %d: %s = %s%s\n", x.n, x.expr, value, note)
}

func (dv *dataView) infoDisplay(string) {
	if len(dv.displays) == 0 {
		dv.printf("no displays\n")
	}
	for _, x := range dv.displays {
		dv.printf("  %d: %s\n", x.n, x.expr)
	}
}

// scope prints the variables of a scope of a frame and reports whether the frame has the scope.
func (dv *dataView) scope(frame int, indent string, names ...string) bool {
	var b godap.ScopesResponseBody
	if !dv.request("scopes", godap.ScopesArguments{FrameId: frame}, &b) {
		return true
	}
	for _, sc := range b.Scopes {
		if slices.Contains(names, sc.Name) {
			if dv.variables(sc.VariablesReference, indent) == 0 {
				dv.printf("%s(empty)\n", indent)
			}
			return true
		}
	}
	for _, sc := range b.Scopes {
		if sc.Name == lowScope {
			return dv.below(sc.VariablesReference, indent, names)
		}
	}
	return false
}

// lowScope is the scope with what a frame that is shown in its source is in WebAssembly.
const lowScope = "WebAssembly"

// below prints those of the parts of a scope that have one of some names.
func (dv *dataView) below(ref int, indent string, names []string) bool {
	var b godap.VariablesResponseBody
	if !dv.request("variables", godap.VariablesArguments{VariablesReference: ref}, &b) {
		return true
	}
	found := false
	for _, v := range b.Variables {
		if slices.Contains(names, v.Name) {
			found = true
			if v.VariablesReference == 0 || dv.variables(v.VariablesReference, indent) == 0 {
				dv.printf("%s(empty)\n", indent)
			}
		}
	}
	return found
}

// infoWasm shows what the frame is in WebAssembly.
func (dv *dataView) infoWasm(string) {
	if !dv.standing() {
		return
	}
	for _, name := range []string{"Locals", "Operand stack", "Globals", "Memory"} {
		var b godap.ScopesResponseBody
		if !dv.request("scopes", godap.ScopesArguments{FrameId: dv.frameID()}, &b) {
			return
		}
		dv.printf("%s\n", dv.paint("1", name+":"))
		i := slices.IndexFunc(b.Scopes, func(s godap.Scope) bool { return s.Name == lowScope })
		if i >= 0 {
			dv.below(b.Scopes[i].VariablesReference, "  ", []string{name})
		} else if !dv.scope(dv.frameID(), "  ", name) {
			dv.printf("  (none)\n")
		}
	}
}

// scopes of which each design has a name of its own.
var clauseScopes, stackScopes = func() (clauses, stacks []string) {
	for _, d := range wasm.Dialects() {
		clauses, stacks = append(clauses, d.Info().Clauses), append(stacks, d.Info().Title())
	}
	return clauses, stacks
}()

// scoper returns a command that shows the variables of a scope, which may have one of some names.
func (dv *dataView) scoper(names ...string) func(args) {
	return func(args) {
		if dv.standing() && !dv.scope(dv.frameID(), "  ", names...) {
			dv.printf("  (none)\n")
		}
	}
}

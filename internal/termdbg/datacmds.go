package termdbg

import (
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// display is an expression that is shown at every stop.
type display struct {
	n     int
	expr  string
	value string
}

const formatHelp = `Formats are x (hexadecimal), t or b (binary), o (octal), d (signed), u (unsigned), f (the bits as a float), h (a
hexadecimal float), c (character) and s (the text at this address): print/x $i.`

func dataCommands() []cmd {
	return []cmd{
		{
			name: "print", aliases: []string{"p", "inspect"}, group: data, args: "[-full] EXPRESSION",
			short:  "evaluate $x, #3, $p.$field, i32[16], or (i32.add (local.get $x) (i32.const 1))",
			slash:  true,
			long:   formatHelp + "\n-full shows structures and arrays whole. With = it assigns: print $x = 5.",
			serves: []string{"evaluate", "variables"}, run: (*debugger).cmdPrint,
		},
		{
			name: "call", group: data, args: "FUNCTION(VALUE, …) | EXPRESSION",
			short: "call a function, or execute code that may assign", once: true, slash: true,
			run: func(d *debugger, a args) { d.print(a, "repl") },
		},
		{
			name: "set", group: data, args: "[var] DATUM = VALUE",
			short: "set a local, global, field, element or memory", once: true,
			serves: []string{"setExpression", "setVariable"}, run: (*debugger).cmdSet,
		},
		{
			name: "whatis", aliases: []string{"ptype"}, group: data, args: "EXPRESSION",
			short:  "show the type of an expression, and where its value comes from",
			serves: []string{"locations"}, run: (*debugger).cmdWhatis,
		},
		{
			name: "display", aliases: []string{"disp"}, group: data, args: "[EXPRESSION]",
			short: "show an expression at every stop; without one show all now", slash: true,
			run: (*debugger).cmdDisplay,
		},
		{
			name: "undisplay", aliases: []string{"undisp"}, group: data, args: "[N…]",
			short: "forget displays, or all", once: true, run: (*debugger).cmdUndisplay,
		},
		{
			name: "locals", aliases: []string{"vars"}, group: data, short: "show parameters and locals",
			serves: []string{"scopes"}, run: scoper("Locals"),
		},
		{
			name:    "operands",
			aliases: []string{"stack", "regs"},
			group:   data,
			args:    "[#N]",
			short:   "show the operand stack; with a number show stack #N",
			run: func(d *debugger, a args) {
				if a.text != "" {
					d.cmdThread(a)
					return
				}
				scoper("Operand stack")(d, a)
			},
		},
		{name: "globals", group: data, short: "show the globals", run: scoper("Globals")},
		{
			name:    "x",
			aliases: []string{"memory", "examinemem"},
			group:   data,
			args:    "[MEMORY:]ADDRESS [BYTES]",
			short:   "examine memory: x/4xw 16",
			slash:   true,
			again:   true,
			long: `A format is a count, a letter and a size: x d u o t c f s, i for instructions, and b h w g for 1, 2, 4 or 8 bytes.
Without one it is a dump. The address is a number or an expression; MEMORY is $name or a number. x alone goes on.`,
			serves: []string{"readMemory"},
			run:    (*debugger).cmdX,
		},
		{
			name: "write", group: data, args: "[MEMORY:]ADDRESS BYTE… | \"TEXT\"",
			short: "write bytes or a text to memory", once: true, serves: []string{"writeMemory"},
			run: (*debugger).cmdWrite,
		},
		{
			name: "dump", group: data, args: "memory FILE [MEMORY:]START END",
			short: "write a range of memory to a file", once: true, run: (*debugger).cmdDump,
		},
		{
			name: "restore", group: data, args: "FILE [MEMORY:]ADDRESS", short: "write a file to memory",
			once: true, run: (*debugger).cmdRestore,
		},
	}
}

// letters turns a format of gdb into one of the adapter.
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

func (d *debugger) cmdPrint(a args) {
	context := "watch"
	if rest, ok := strings.CutPrefix(a.text, "-full "); ok {
		a.text, context = strings.TrimSpace(rest), "clipboard"
	}
	if assigns(a.text) {
		context = "repl"
	}
	d.print(a, context)
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

// words of the adapter's console, which are no expressions here.
var consoleWords = map[string]bool{
	"continue": true, "next": true, "step": true, "out": true, "tree": true, "stacks": true,
	"history": true, "help": true,
}

func (d *debugger) print(a args, context string) {
	if a.text == "" {
		d.failf("an expression is missing: print $x")
		return
	}
	expr, err := formatted(a.text, a.format)
	if err != nil {
		d.fail(err)
		return
	}
	if word, _, _ := strings.Cut(a.text, " "); consoleWords[a.text] || word == "cancel" {
		context = "watch"
	}
	if !d.standing() {
		return
	}
	var b godap.EvaluateResponseBody
	if !d.request("evaluate", godap.EvaluateArguments{Expression: expr, FrameId: d.frameID(), Context: context}, &b) {
		return
	}
	t := ""
	if b.Type != "" {
		t = d.paint("2", " : "+b.Type)
	}
	d.printf("%s%s\n", b.Result, t)
	if b.VariablesReference > 0 && context != "clipboard" {
		d.variables(b.VariablesReference, "  ")
	}
}

// variablesShown is how many children of a variable are shown.
const variablesShown = 200

// variables prints the children of a variable and returns how many there are.
func (d *debugger) variables(ref int, indent string) int {
	var b godap.VariablesResponseBody
	if !d.request("variables", godap.VariablesArguments{VariablesReference: ref, Count: variablesShown}, &b) {
		return 0
	}
	width := 0
	for _, v := range b.Variables {
		width = max(width, len([]rune(v.Name)))
	}
	for _, v := range b.Variables {
		t := ""
		if v.Type != "" {
			t = d.paint("2", " : "+v.Type)
		}
		d.printf("%s%-*s = %s%s\n", indent, width, v.Name, v.Value, t)
	}
	if len(b.Variables) >= variablesShown {
		d.printf("%s… there may be more: print shows one of them\n", indent)
	}
	return len(b.Variables)
}

func (d *debugger) cmdSet(a args) {
	text := strings.TrimPrefix(strings.TrimPrefix(a.text, "variable "), "var ")
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		name, value, ok = strings.Cut(strings.TrimSpace(text), " ")
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" || value == "" {
		d.failf("set needs a name and a value: set $x = 42")
		return
	}
	var b godap.SetExpressionResponseBody
	if d.standing() &&
		d.request("setExpression", godap.SetExpressionArguments{Expression: name, Value: value, FrameId: d.frameID()}, &b) {
		d.printf("%s = %s\n", name, b.Value)
	}
}

func (d *debugger) cmdWhatis(a args) {
	if a.text == "" {
		d.failf("whatis needs an expression")
		return
	}
	var b struct {
		godap.EvaluateResponseBody
		ValueLocationReference int `json:"valueLocationReference"`
	}
	if !d.standing() ||
		!d.request("evaluate", godap.EvaluateArguments{Expression: a.text, FrameId: d.frameID(), Context: "watch"}, &b) {
		return
	}
	t := b.Type
	if t == "" {
		t = "no type: " + b.Result
	}
	d.printf("%s\n", t)
	if b.ValueLocationReference > 0 {
		var at struct {
			Source *godap.Source `json:"source"`
			Line   int           `json:"line"`
			Column int           `json:"column"`
		}
		if d.ask("locations", map[string]any{"locationReference": b.ValueLocationReference}, &at) == nil && at.Source != nil {
			d.printf("  from %s:%d:%d\n", d.name(at.Source), at.Line, at.Column)
		}
	}
}

func (d *debugger) cmdDisplay(a args) {
	if a.text == "" {
		if len(d.displays) == 0 {
			d.printf("nothing is displayed\n")
			return
		}
		if d.standing() {
			d.showDisplays()
		}
		return
	}
	expr, err := formatted(a.text, a.format)
	if err != nil {
		d.fail(err)
		return
	}
	d.nextDisp++
	d.displays = append(d.displays, display{n: d.nextDisp, expr: expr})
	if d.alive && !d.running {
		d.showDisplay(&d.displays[len(d.displays)-1])
	}
}

func (d *debugger) cmdUndisplay(a args) {
	if a.text == "" {
		d.displays = nil
		return
	}
	for _, w := range strings.Fields(a.text) {
		n, err := strconv.Atoi(w)
		found := false
		for i := range d.displays {
			if err == nil && d.displays[i].n == n {
				d.displays = append(d.displays[:i], d.displays[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			d.failf("there is no display %s", w)
			return
		}
	}
}

// showDisplays shows the displayed expressions; those that changed stand out.
func (d *debugger) showDisplays() {
	if !d.alive {
		return
	}
	for i := range d.displays {
		d.showDisplay(&d.displays[i])
	}
}

func (d *debugger) showDisplay(x *display) {
	var b godap.EvaluateResponseBody
	value := ""
	if err := d.ask("evaluate", godap.EvaluateArguments{Expression: x.expr, FrameId: d.frameID(), Context: "watch"}, &b); err != nil {
		value = "(" + err.Error() + ")"
	} else {
		value = b.Result
	}
	note := ""
	if x.value != "" && x.value != value {
		note = d.paint("33", "  (was "+x.value+")")
	}
	x.value = value
	d.printf("  %d: %s = %s%s\n", x.n, x.expr, value, note)
}

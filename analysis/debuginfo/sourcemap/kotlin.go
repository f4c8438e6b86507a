package sourcemap

import (
	"regexp"
	"slices"
	"strings"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// kotlinFunc returns the name of a function of Kotlin as its stack traces and its developers know
// it. locals are the names of its locals.
//
//	Point.<init>                     Point.<init>
//	Point.<get-name>                 Point.name.get
//	kotlin.Int__rem-impl             kotlin.Int.rem
//	kotlin.<Result__<get-value>-impl> kotlin.Result.value.get
//	<no name provided>.resumeWith    <anonymous>.resumeWith
//	main$slambda.invoke              main.<suspend lambda>
//	fib$slambda.invoke               fib.<sequence lambda>: its receiver is `$this$sequence`
//	main$lambda                      main.<lambda>
//	main$local                       main.local
func kotlinFunc(name string, locals map[uint32]string) string {
	name = strings.ReplaceAll(name, "<no name provided>", "<anonymous>")
	if s, ok := strings.CutSuffix(name, "-impl"); ok {
		name = strings.Replace(s, "__", ".", 1)
	} else if s, ok := strings.CutSuffix(name, "-impl>"); ok { // of a value class: <Result__<init>-impl>
		if i := strings.LastIndex(s, ".<"); i >= 0 {
			name = s[:i+1] + s[i+2:]
		} else {
			name = strings.TrimPrefix(s, "<")
		}
		name = strings.Replace(name, "__", ".", 1)
	}
	parts := strings.Split(name, ".")
	if n := len(parts); n > 1 && parts[n-1] == "invoke" && strings.Contains(parts[n-2], "lambda") &&
		strings.Contains(parts[n-2], "$") {
		parts = parts[:n-1]
	}
	for i, p := range parts {
		parts[i] = kotlinPart(p, locals)
	}
	return strings.Join(parts, ".")
}

// kotlinPart returns a name between two dots.
func kotlinPart(p string, locals map[uint32]string) string {
	for _, kind := range []string{"get", "set"} {
		if i := strings.Index(p, "<"+kind+"-"); i >= 0 && strings.HasSuffix(p, ">") {
			p = p[:i] + p[i+len(kind)+2:len(p)-1] + "." + kind
		}
	}
	if !strings.Contains(p, "$") || strings.HasPrefix(p, "$") {
		return p
	}
	words := strings.Split(p, "$")
	out := words[:1:1]
	innermost := strings.LastIndex(p, "$slambda")
	at := len(words[0])
	for i, w := range words[1:] {
		if strings.HasSuffix(words[i], "_") { // itoa32_$external_fun
			return p
		}
		length := len(w) + 1
		base := strings.TrimRight(w, "0123456789")
		base = strings.TrimSuffix(base, "-")
		switch base {
		case "lambda":
			w = "<lambda>"
		case "slambda":
			if at != innermost { // of the others nothing is known
				w = "<lambda>"
				break
			}
			w = "<suspend lambda>"
			for _, l := range locals {
				if s, ok := strings.CutPrefix(l, "$this$"); ok && s != "" {
					w = "<" + s + " lambda>"
				}
			}
		case "":
			w = "" // numbers of lambdas that are alike
		}
		if at += length; w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, ".")
}

// kotlinLocal returns the name of a local of Kotlin, and whether the compiler made it.
//
//	<this>, $this      this
//	$this$apply        this@apply: the receiver of a lambda with one
//	this$0             this@outer: the object around; in a lambda, which has no other one, this
//	$count             count: a parameter of a lambda that holds what it captured
//	~it, ~value        it, value: of a function or lambda that was inlined
//	$completion, ~tmp0, ~<iterator>, merged_catch_param   made by the compiler
func kotlinLocal(name string) (string, bool) {
	inlined := strings.HasPrefix(name, "~")
	s := strings.TrimPrefix(name, "~")
	switch {
	case s == "<this>" || s == "$this" || inlined && s == "this":
		return "this", inlined
	case strings.HasPrefix(s, "$this$") && len(s) > len("$this$"):
		return "this@" + s[len("$this$"):], false
	case s == "this$0":
		return "this@outer", false
	case s == "$completion", s == "merged_catch_param", s == "blockKotlinContinuation", s == "blockResult",
		inlined && s == "inductionVariable", strings.HasPrefix(s, "<"), isTemp(s):
		return s, true
	case strings.HasPrefix(s, "$") && len(s) > 1:
		return s[1:], false
	case s == "":
		return name, true
	case inlined && !isIdentifier(s):
		return s, true
	}
	return s, false
}

// kotlinLocals returns the names of the locals of a function for people, and which of them the
// compiler made, or suspendCoroutine of the library, which is always inlined.
func kotlinLocals(names map[uint32]string) func(name string) (string, bool) {
	this, suspends := false, false
	for _, n := range names {
		this = this || n == "<this>"
		suspends = suspends || n == "blockKotlinContinuation"
	}
	return func(name string) (string, bool) {
		switch {
		case name == "this$0" && !this:
			return "this", false
		case suspends && (name == "~c" || name == "safe"):
			return strings.TrimPrefix(name, "~"), true
		}
		return kotlinLocal(name)
	}
}

// isTemp reports whether a name is `tmp`, or begins as `tmp0` or `tmp0_elvis_lhs`.
func isTemp(s string) bool {
	rest, ok := strings.CutPrefix(s, "tmp")
	if !ok {
		return false
	}
	digits := strings.TrimLeft(rest, "0123456789")
	return rest == "" || len(digits) < len(rest) && (digits == "" || digits[0] == '_')
}

func isIdentifier(s string) bool {
	for i, c := range s {
		if c != '_' && !(c|0x20 >= 'a' && c|0x20 <= 'z') && c < 0x80 && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// thunk matches the classes that the compiler makes of lambdas and references to functions.
var thunk = regexp.MustCompile(`(^|\.)K?(Suspend)?Function[0-9]+(_[A-Za-z0-9_]*)?\.[^.]*$`)

// kotlinRows corrects the rows of a function of Kotlin. A thunk has none: its only place is that of
// the lambda; neither has a function whose only place is that of the one before, and the constructor
// of an object that is written where it is made. The `return` at the end has the place of the `}`,
// which the compiler gives to the `end` after it, where control never comes; its own is that of the
// lambda or of the last value. carried says that the first row is the place of the function before.
func kotlinRows(name string, rows []debuginfo.Row, body []wasm.Instr, carried bool) []debuginfo.Row {
	n := len(rows)
	if thunk.MatchString(name) || carried && n == 1 {
		return nil
	}
	if strings.HasSuffix(name, "<no name provided>.<init>") && !slices.ContainsFunc(rows, func(r debuginfo.Row) bool {
		return r.File != nil && r.Line != rows[0].Line
	}) {
		return nil
	}
	if strings.HasSuffix(name, ".<init>") && quiet(body) {
		return nil // it does nothing
	}
	// What a lambda is entered with has the place where it stands, or none that was meant.
	if carried && n > 0 && rows[0].PC == 0 {
		to := len(body)
		if n > 1 {
			to = rows[1].PC
		}
		if quiet(body[:to]) {
			rows = rows[1:]
			n--
		}
	}
	last := len(body) - 1
	if n == 0 || last < 1 || rows[n-1].PC != last || body[last-1].Op != wasm.OpReturn {
		return rows
	}
	end := rows[n-1]
	rows = rows[:n-1]
	if end.File == nil {
		return rows
	}
	end.PC--
	if n = len(rows); n > 0 && rows[n-1].PC == end.PC {
		rows = rows[:n-1]
	}
	return append(rows, end)
}

// kotlinLibrary matches the sources of the standard library: maps may name those of what was inlined.
var kotlinLibrary = regexp.MustCompile(`(^|/)(src/kotlin|src/generated|builtins|internal)/` +
	`(annotations|collections|comparisons|concurrent|contracts|coroutines|enums|experimental|internal|io|math|` +
	`properties|random|ranges|reflect|sequences|system|text|time|util|uuid)/`)

// kotlinRuntime reports whether a function is one of Kotlin's libraries, or made by the compiler. The
// initializers of files and enums are, too: each use calls them, and all but the first do nothing.
func kotlinRuntime(name string, rows []debuginfo.Row) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	return len(rows) == 0 || strings.HasPrefix(name, "kotlin.") || strings.HasPrefix(name, "kotlinx.") ||
		last == "static_init" || strings.Contains(name, "<init properties ") || ignored(rows)
}

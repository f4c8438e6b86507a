package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"stackscope/wasm"
)

var (
	errHelp    = errors.New("help")
	errVersion = errors.New("version")
)

// Flags are the flags of a command: those of package flag, that may stand among the arguments.
type Flags struct {
	*flag.FlagSet
}

func newFlags() *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet("", flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	return f
}

// Strings declares a flag that may be given many times.
func (f *Flags) Strings(name, usage string) *[]string {
	var s []string
	f.Func(name, usage, func(v string) error {
		s = append(s, v)
		return nil
	})
	return &s
}

// Choice declares a flag that is one of some words, the first by default.
func (f *Flags) Choice(name string, words []string, usage string) *string {
	s := words[0]
	f.Func(name, usage, func(v string) error {
		for _, w := range words {
			if w == v {
				s = v
				return nil
			}
		}
		return fmt.Errorf("it can be %s", strings.Join(words, ", "))
	})
	return &s
}

// DialectFlag declares --dialect.
func (f *Flags) DialectFlag() *string {
	return f.String(
		"dialect", "",
		"`DIALECT` of modules that do not declare one: cont, stacks, fibers-mount, fibers-handle, tasks, or none for WebAssembly 3.0 alone",
	)
}

// ParseDialect reads the value of --dialect; "" leaves it to each module.
func ParseDialect(s string) (wasm.Dialect, error) {
	d, ok := wasm.ParseDialectSetting(s)
	if !ok {
		return d, fmt.Errorf("unknown dialect %q: it can be cont, stacks, fibers-mount, fibers-handle, tasks or none", s)
	}
	return d, nil
}

// parse separates flags from arguments. Flags may stand anywhere before `--`; what looks like a
// negative number is an argument.
func (f *Flags) parse(args []string) (rest, behind []string, err error) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return rest, args[i+1:], nil
		case a == "-" || !strings.HasPrefix(a, "-") || number(a):
			rest = append(rest, a)
			continue
		}
		name, _, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		g := f.Lookup(name)
		switch {
		case g == nil && (name == "help" || name == "h"):
			return nil, nil, errHelp
		case g == nil && name == "version":
			return nil, nil, errVersion
		case g == nil:
			return nil, nil, fmt.Errorf("unknown flag %s", a)
		}
		one := args[i : i+1]
		if b, ok := g.Value.(interface{ IsBoolFlag() bool }); !has && !(ok && b.IsBoolFlag()) {
			if i+1 == len(args) {
				return nil, nil, fmt.Errorf("flag %s needs a value", a)
			}
			one = args[i : i+2]
			i++
		}
		if err := f.Parse(one); err != nil {
			v := strings.TrimPrefix(strings.Join(one, " "), "-")
			return nil, nil, fmt.Errorf("flag -%s: %s", v, reason(err))
		}
	}
	return rest, nil, nil
}

// reason shortens what package flag says to what is wrong with the value.
func reason(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, ": "); i >= 0 {
		return s[i+2:]
	}
	return s
}

// number reports whether an argument is a negative number of the text format.
func number(a string) bool {
	s := a[1:]
	return s != "" && (s[0] >= '0' && s[0] <= '9') || s == "inf" || s == "nan" || strings.HasPrefix(s, "nan:")
}

package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stackscope/wasm"
)

var (
	errHelp    = errors.New("help")
	errVersion = errors.New("version")
)

// Flag is a flag of a command: a row of its table. Help and the reference are printed from it.
type Flag struct {
	Name    string // without dashes
	Arg     string // what help calls the value, as in FILE; "" for a switch
	Default string // the value without the flag; "" for none
	Usage   string // one line, without a full stop
	Many    bool   // whether it may be repeated
	Value   Value
}

// Value reads the value of a flag. A switch without a value gets "true".
type Value func(s string) error

// Bool reads a switch.
func Bool(p *bool) Value {
	return func(s string) (err error) {
		if *p, err = strconv.ParseBool(s); err != nil {
			return errors.New("must be true or false")
		}
		return nil
	}
}

// String reads any text.
func String(p *string) Value {
	return func(s string) error {
		*p = s
		return nil
	}
}

// Strings collects the values of a flag that may be repeated.
func Strings(p *[]string) Value {
	return func(s string) error {
		*p = append(*p, s)
		return nil
	}
}

// Int reads a whole number, in Go's notation.
func Int(p *int) Value {
	return func(s string) error {
		n, err := strconv.ParseInt(s, 0, strconv.IntSize)
		*p = int(n)
		return numberError(err)
	}
}

// Uint64 reads a whole number that is not negative, in Go's notation.
func Uint64(p *uint64) Value {
	return func(s string) error {
		n, err := strconv.ParseUint(s, 0, 64)
		*p = n
		return numberError(err)
	}
}

func numberError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return errors.New("number out of range")
	}
	return errors.New("not a number")
}

// Duration reads a duration with a unit, such as 10s.
func Duration(p *time.Duration) Value {
	return func(s string) (err error) {
		if *p, err = time.ParseDuration(s); err != nil {
			return errors.New("not a duration, such as 10s or 1m30s")
		}
		return nil
	}
}

// Choice reads one of some words.
func Choice(p *string, words ...string) Value {
	return func(s string) error {
		for _, w := range words {
			if w == s {
				*p = s
				return nil
			}
		}
		return fmt.Errorf("must be %s", or(words))
	}
}

// or lists words as in `a, b or c`.
func or(words []string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " or " + words[n]
}

// DialectFlag is the row of --dialect.
func DialectFlag(p *string) Flag {
	return Flag{
		Name: "dialect", Arg: "DIALECT", Value: String(p),
		Usage: "dialect for modules that do not declare one: " + or(dialectWords()) +
			" (none = WebAssembly 3.0 only)",
	}
}

// dialectWords lists what --dialect takes.
func dialectWords() []string {
	var words []string
	for _, d := range wasm.Dialects() {
		words = append(words, d.String())
	}
	return append(words, wasm.DialectOff.String())
}

// ParseDialect reads the value of --dialect; "" leaves it to each module.
func ParseDialect(s string) (wasm.Dialect, error) {
	d, ok := wasm.ParseDialectSetting(s)
	if !ok {
		return d, fmt.Errorf("unknown dialect %q: must be %s", s, or(dialectWords()))
	}
	return d, nil
}

// setDefaults sets each flag to its default.
func setDefaults(flags []Flag) {
	for _, f := range flags {
		if f.Default == "" {
			continue
		}
		if err := f.Value(f.Default); err != nil {
			panic(fmt.Sprintf("default of --%s: %v", f.Name, err)) // the table is wrong
		}
	}
}

// parse separates flags from arguments. Flags may be anywhere before `--`; what looks like a
// negative number is an argument.
func parse(flags []Flag, args []string) (rest, afterDashes []string, err error) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return rest, args[i+1:], nil
		case a == "-" || !strings.HasPrefix(a, "-") || negative(a):
			rest = append(rest, a)
			continue
		}
		name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		f := lookup(flags, name)
		switch {
		case f == nil && (name == "help" || name == "h"):
			return nil, nil, errHelp
		case f == nil && name == "version":
			return nil, nil, errVersion
		case f == nil:
			return nil, nil, fmt.Errorf("unknown flag %s", a)
		case has:
		case f.Arg == "":
			value = "true"
		case i+1 == len(args):
			return nil, nil, fmt.Errorf("flag %s needs a value", a)
		default:
			i++
			value = args[i]
			a += " " + value
		}
		if err := f.Value(value); err != nil {
			return nil, nil, fmt.Errorf("flag %s: %w", a, err)
		}
	}
	return rest, nil, nil
}

func lookup(flags []Flag, name string) *Flag {
	for i := range flags {
		if flags[i].Name == name {
			return &flags[i]
		}
	}
	return nil
}

// negative reports whether an argument is a negative number of the text format.
func negative(a string) bool {
	s := a[1:]
	return s != "" && (s[0] >= '0' && s[0] <= '9') || s == "inf" || s == "nan" || strings.HasPrefix(s, "nan:")
}

package termdbg

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// cmd is a command of the debugger.
type cmd struct {
	name    string
	aliases []string
	group   group
	args    string
	short   string   // one line, without a full stop
	long    string   // paragraphs of help; may be empty
	slash   bool     // takes a format: p/x
	counted bool     // takes a count: step 3
	once    bool     // an empty line does not repeat it
	again   bool     // an empty line repeats it without its arguments, which goes on where it ended
	serves  []string // the adapter's requests that it covers
	words   words    // what completes the arguments
	run     func(a args)
}

// words is what completes the arguments of a command.
type words uint8

const (
	noWords        words = iota
	exprWords            // an expression
	conditionWords       // a breakpoint, then an expression
	placeWords           // places
	breakWords           // numbers of breakpoints
	filterWords          // events of catch, then their conditions
	stackWords           // stacks
	threadWords          // stacks, or apply
	queryWords           // the keys of stacks
	fileWords            // files
	helpWords            // commands and groups
	topicWords           // topics of info
	viewWords            // views
)

// args are the arguments of a command.
type args struct {
	text   string // without the space around it
	format string // `x` of p/x
}

// slash returns the format as typed.
func (a args) slash() string {
	if a.format == "" {
		return ""
	}
	return "/" + a.format
}

type group string

// The groups of commands, in the order of help.
const (
	running     group = "running"
	breakpoints group = "breakpoints"
	stacks      group = "stacks"
	data        group = "data"
	files       group = "files"
	support     group = "support"
)

func groups() []struct {
	name  group
	title string
} {
	return []struct {
		name  group
		title string
	}{
		{running, "Running the program"},
		{breakpoints, "Breakpoints, watchpoints, catchpoints"},
		{stacks, "Stacks and frames"},
		{data, "Data and memory"},
		{files, "Source and code"},
		{support, "The debugger"},
	}
}

// table is the commands, in the order of help.
type table []cmd

// commands returns the table of a debugger that is not connected, for help, tests and docs.
func commands() table { return newDebugger(context.Background(), Options{}).shell.table }

// The errors for commands that need a program.
var (
	errNoProgram = errors.New("there is no program: use run or restart to start it")
	errEnded     = errors.New("the program has ended: use run or restart to start it again")
)

// errReported is an error that was printed already.
var errReported = errors.New("reported")

// parseLine splits a line into the command, its format and its arguments.
func (t table) parseLine(line string) (*cmd, args, error) {
	n := 0
	for n < len(line) && (line[n] == '-' || line[n] == '_' || line[n]|0x20 >= 'a' && line[n]|0x20 <= 'z') {
		n++
	}
	if n == 0 { // ? and !
		n = 1
	}
	word, rest := line[:n], line[n:]
	var a args
	if rest != "" && (rest[0] >= '0' && rest[0] <= '9' || rest[0] == '.') {
		return nil, a, fmt.Errorf("unknown command %q: use help to list the commands", strings.Fields(line)[0])
	}
	if strings.HasPrefix(rest, "/") {
		a.format, rest, _ = strings.Cut(rest[1:], " ")
	}
	a.text = strings.TrimSpace(rest)
	c, err := t.lookup(word)
	if err != nil {
		return nil, a, err
	}
	return c, a, nil
}

// lookup finds a command by name, alias or unambiguous beginning.
func (t table) lookup(word string) (*cmd, error) {
	var found []*cmd
	for i := range t {
		c := &t[i]
		begins := strings.HasPrefix(c.name, word)
		for _, a := range append([]string{c.name}, c.aliases...) {
			if a == word {
				return c, nil
			}
			begins = begins || strings.HasPrefix(a, word) && len(word) > 2
		}
		if begins {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 0:
		var names []string
		for _, c := range t {
			names = append(append(names, c.name), c.aliases...)
		}
		return nil, unknown("command", word, names, "use help to list the commands")
	case 1:
		return found[0], nil
	}
	var names []string
	for _, c := range found {
		names = append(names, c.name)
	}
	return nil, fmt.Errorf("ambiguous command %q: %s", word, strings.Join(names, ", "))
}

// choose finds a word of a list by an unambiguous beginning.
func choose(what, word string, words []string) (string, error) {
	var found []string
	for _, w := range words {
		if w == word {
			return w, nil
		}
		if word != "" && strings.HasPrefix(w, word) {
			found = append(found, w)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", unknown(what, word, words, "must be one of "+strings.Join(words, ", "))
	}
	return "", fmt.Errorf("ambiguous %s %q: %s", what, word, strings.Join(found, ", "))
}

// unknown is the error for a word that is not in a list; the nearest one is suggested.
func unknown(what, word string, words []string, hint string) error {
	best, at := "", 3
	if len(word) < 4 {
		at = 2
	}
	for _, w := range words {
		if n := distance(word, w); n < at && n < len(w) && len(w) > 1 {
			best, at = w, n
		}
	}
	if best != "" {
		return fmt.Errorf("unknown %s %q: did you mean %s?", what, word, best)
	}
	return fmt.Errorf("unknown %s %q: %s", what, word, hint)
}

// distance is the number of letters to insert, delete, replace or exchange with the next one to get
// from a to b.
func distance(a, b string) int {
	if len(a) > 30 || len(b) > 30 {
		return max(len(a), len(b))
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}

package lang

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"stackscope/analysis/debuginfo"
	"stackscope/internal/files"
)

// Printers show values of library types by what they mean. They are tables; the page
// docs/reference/printers.md describes their form.
type Printers struct{ list []*printer }

// printer is an entry of a table.
type printer struct {
	Type    names    `json:"type"`    // patterns of type names; `*` is any text
	Name    string   `json:"name"`    // how the type is called; "": as it is
	Let     []string `json:"let"`     // `name = expression else expression …`
	If      string   `json:"if"`      // the entry counts where this is true
	As      string   `json:"as"`      // the value is shown as this one
	Holds   bool     `json:"holds"`   // of As: what is assigned goes to it
	Deref   string   `json:"deref"`   // what `*` before the value means
	String  string   `json:"string"`  // the value is a text: that of this expression
	Text    *text    `json:"text"`    // the value is a text in the memory
	Summary string   `json:"summary"` // what is shown in one line, with {expressions}
	Items   *items   `json:"items"`   // what is listed by index
	Members []member `json:"members"` // what is listed by name; nil: what the type has
	Hide    bool     `json:"hide"`    // there is nothing else to see

	file string
}

// text is a text in the memory.
type text struct {
	At   string `json:"at"`
	Size string `json:"size"` // in units
	Unit int    `json:"unit"` // bits: 8, 16; 0 is 8
}

// member is a part with a name.
type member struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	If    string `json:"if"`
}

// items are the elements of a value: Count of Value, with the variable i; or a list from First on,
// with the variable node; or a tree from Root on.
type items struct {
	Count string `json:"count"`
	If    string `json:"if"` // which of Count are there
	Value string `json:"value"`
	Key   string `json:"key"`

	First string `json:"first"`
	Next  string `json:"next"`
	End   string `json:"end"` // the list ends where this is true, or at null

	Root  string `json:"root"`
	Left  string `json:"left"`
	Right string `json:"right"`

	Node  string `json:"node"`  // the type that pointers to nodes are converted to
	Bases string `json:"bases"` // the value whose base classes are the items
}

// names is one name or several.
type names []string

func (n *names) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(n))
}

//go:embed printers/*.json
var builtin embed.FS

// builtinPrinters reads the tables of the folder, once.
var builtinPrinters = sync.OnceValues(func() (*Printers, error) {
	out := &Printers{}
	files, err := builtin.ReadDir("printers")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		data, err := builtin.ReadFile("printers/" + f.Name())
		if err != nil {
			return nil, err
		}
		if err := out.add(f.Name(), data); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// LoadPrinters returns the printers of some files, which count before those that are built in. The
// error names the file and the entry.
func LoadPrinters(paths ...string) (*Printers, error) {
	out := &Printers{}
	for _, p := range paths {
		data, err := files.Read(context.Background(), p, maxPrinters)
		if err != nil {
			return nil, err
		}
		if err := out.add(p, data); err != nil {
			return nil, err
		}
	}
	own, err := builtinPrinters()
	if err != nil {
		return nil, err
	}
	out.list = append(out.list, own.list...)
	return out, nil
}

// maxPrinters bounds a file of printers, in bytes.
const maxPrinters = 1 << 20

// add reads a table.
func (ps *Printers) add(path string, data []byte) error {
	name := filepath.Base(path)
	var file struct {
		Printers []json.RawMessage `json:"printers"`
	}
	if err := strict(data, &file); err != nil {
		return fmt.Errorf("%s: %w", name, positioned(data, err))
	}
	if file.Printers == nil {
		return fmt.Errorf("%s: no list \"printers\"", name)
	}
	for i, raw := range file.Printers {
		p := &printer{file: name}
		err := strict(raw, p)
		label := fmt.Sprintf("printer %d", i+1)
		if len(p.Type) > 0 {
			label += " (" + p.Type[0] + ")"
		}
		if err == nil {
			err = p.check()
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, label, err)
		}
		ps.list = append(ps.list, p)
	}
	return nil
}

// strict reads JSON without fields that mean nothing.
func strict(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the end")
	}
	return nil
}

// positioned adds the line to an error of JSON.
func positioned(data []byte, err error) error {
	at := int64(-1)
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &typ):
		at = typ.Offset
	}
	if at < 0 || at > int64(len(data)) {
		return err
	}
	return fmt.Errorf("line %d: %w", bytes.Count(data[:at], []byte("\n"))+1, err)
}

// check reports what is wrong with an entry.
func (p *printer) check() error {
	if len(p.Type) == 0 {
		return errors.New("no type")
	}
	for _, t := range p.Type {
		if strings.Trim(t, "*") == "" {
			return fmt.Errorf("the type %q matches everything", t)
		}
	}
	exprs := map[string]string{"if": p.If, "as": p.As, "deref": p.Deref, "string": p.String}
	for _, l := range p.Let {
		name, text, ok := cutLet(l)
		if !ok {
			return fmt.Errorf("let %q: want name = expression", l)
		}
		exprs["let "+name] = text
	}
	if p.Text != nil {
		exprs["text.at"], exprs["text.size"] = p.Text.At, p.Text.Size
		if p.Text.At == "" || p.Text.Size == "" {
			return errors.New("text needs at and size")
		}
		if p.Text.Unit != 0 && p.Text.Unit != 8 && p.Text.Unit != 16 {
			return fmt.Errorf("text.unit is 8 or 16, not %d", p.Text.Unit)
		}
	}
	for _, m := range p.Members {
		if m.Name == "" || m.Value == "" {
			return errors.New("a member needs name and value")
		}
		exprs["member "+m.Name], exprs["if of member "+m.Name] = m.Value, m.If
	}
	if it := p.Items; it != nil {
		if it.Value == "" {
			return errors.New("items need a value")
		}
		kinds := 0
		counted := it.First+it.Root+it.Bases == "" && it.Count != ""
		for _, s := range []bool{it.First != "", it.Root != "", it.Bases != "", counted} {
			if s {
				kinds++
			}
		}
		switch {
		case kinds != 1:
			return errors.New("items have one of count, first, root and bases")
		case it.First != "" && it.Next == "":
			return errors.New("items.first needs next")
		case it.Root != "" && (it.Left == "" || it.Right == ""):
			return errors.New("items.root needs left and right")
		}
		for k, v := range map[string]string{
			"count": it.Count, "if": it.If, "value": it.Value, "key": it.Key, "first": it.First, "next": it.Next,
			"end": it.End, "root": it.Root, "left": it.Left, "right": it.Right, "bases": it.Bases,
		} {
			exprs["items."+k] = v
		}
	}
	parts, err := splitSummary(p.Summary)
	if err != nil {
		return err
	}
	for _, s := range parts {
		if s.expr {
			exprs["summary {"+s.text+"}"] = s.text
		}
	}
	if p.As+p.String+p.Summary+p.Name == "" && p.Text == nil && p.Items == nil && p.Members == nil {
		return errors.New("it says nothing: want as, string, text, summary, items, members or name")
	}
	var keys []string
	for k := range exprs {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if exprs[k] == "" {
			continue
		}
		for _, x := range strings.Split(exprs[k], " else ") {
			if _, err := Parse(x, debuginfo.CPlusPlus, &Env{Type: anyType}); err != nil {
				return fmt.Errorf("%s: %q: %w", k, x, err)
			}
		}
	}
	return nil
}

// anyType lets the argument types of printers, T1 to T9, be read.
func anyType(name string) *debuginfo.Type {
	if len(name) == 2 && name[0] == 'T' && name[1] >= '1' && name[1] <= '9' {
		return basic(debuginfo.C, "int")
	}
	return nil
}

// cutLet splits `name = expression`.
func cutLet(s string) (name, text string, ok bool) {
	name, text, ok = strings.Cut(s, "=")
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	return name, text, ok && name != "" && text != "" && !strings.ContainsAny(name, " .()!<>")
}

// part is a part of a summary.
type part struct {
	text   string
	expr   bool
	format byte
}

// splitSummary splits a summary at its {expressions}. `{{` and `}}` stand for braces.
func splitSummary(s string) (out []part, err error) {
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, part{text: b.String()})
			b.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"), strings.HasPrefix(s[i:], "}}"):
			b.WriteByte(s[i])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				return nil, errors.New("summary: { without }")
			}
			flush()
			x := part{text: s[i+1 : i+end], expr: true}
			if k := len(x.text) - 2; k > 0 && x.text[k] == ',' {
				x.text, x.format = x.text[:k], x.text[k+1]
			}
			out = append(out, x)
			i += end
		default:
			b.WriteByte(s[i])
		}
	}
	flush()
	return out, nil
}

// glob reports whether a name matches a pattern.
func glob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, last)
}

// find lists the entries for the names of a type, in their order: those of the first name count
// before those of the next.
func (ps *Printers) find(names []string) (out []*printer) {
	if ps == nil {
		return nil
	}
	for _, n := range names {
		if n == "" {
			continue
		}
		for _, p := range ps.list {
			for _, t := range p.Type {
				if glob(t, n) {
					out = append(out, p)
					break
				}
			}
		}
	}
	return out
}

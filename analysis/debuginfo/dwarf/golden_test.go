package dwarf

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackscope/analysis/debuginfo"
)

var update = flag.Bool("update", false, "write the goldens")

// dumper writes what is read of a program.
type dumper struct {
	strings.Builder
	types map[*debuginfo.Type]bool
	queue []*debuginfo.Type
}

func (d *dumper) line(depth int, format string, args ...any) {
	d.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

// name spells a type in a line.
func (d *dumper) name(t *debuginfo.Type) string {
	if t == nil {
		return "void"
	}
	if !d.types[t] {
		d.types[t] = true
		d.queue = append(d.queue, t)
	}
	switch t.Kind {
	case debuginfo.KindPointer, debuginfo.KindReference, debuginfo.KindMember:
		return fmt.Sprintf("%s%s%d->%s", t.Name, t.Word, t.Kind, d.short(t.Target()))
	case debuginfo.KindArray:
		return fmt.Sprintf("[%d]%s", t.Count, d.name(t.Target()))
	case debuginfo.KindQualified:
		return t.Word + " " + d.name(t.Target())
	}
	return d.short(t)
}

func (d *dumper) short(t *debuginfo.Type) string {
	switch {
	case t == nil:
		return "void"
	case t.Name == "" && (t.Kind == debuginfo.KindQualified || t.Kind == debuginfo.KindArray):
		return d.name(t)
	case t.Name == "":
		d.name2(t)
		return fmt.Sprintf("(%s %v)", t.Word, t.Decl)
	}
	d.name2(t)
	return t.Name
}

func (d *dumper) name2(t *debuginfo.Type) {
	if !d.types[t] {
		d.types[t] = true
		d.queue = append(d.queue, t)
	}
}

func (d *dumper) where(w debuginfo.Where, err error) string {
	switch {
	case errors.Is(err, debuginfo.ErrOptimizedOut):
		return "-"
	case err != nil:
		return "error: " + err.Error()
	}
	var parts []string
	for _, p := range w {
		s := ""
		switch p.Kind {
		case debuginfo.InMemory:
			s = fmt.Sprintf("mem %d", p.Addr)
		case debuginfo.InLocal:
			s = fmt.Sprintf("local %d", p.Index)
		case debuginfo.InGlobal:
			s = fmt.Sprintf("global %d", p.Index)
		case debuginfo.InOperand:
			s = fmt.Sprintf("operand %d", p.Index)
		case debuginfo.Constant:
			s = fmt.Sprintf("const %x", p.Bytes)
		case debuginfo.Absent:
			s = "-"
		}
		if p.Size > 0 {
			s += fmt.Sprintf(":%d", p.Size)
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

func (d *dumper) scope(s *debuginfo.Scope, depth int, c debuginfo.Context) {
	kind := [...]string{"func", "inline", "block"}[s.Kind]
	d.line(depth, "%s %s %v call %v %v", kind, s.Name, s.Decl, s.Call, s.Ranges)
	for _, v := range s.Vars {
		what := "var"
		if v.Param {
			what = "param"
		}
		if v.Artificial {
			what += " artificial"
		}
		d.line(depth+1, "%s %s: %s %v", what, v.Name, d.name(v.Type), v.Decl)
		last := ""
		for _, r := range s.Ranges {
			for pc := r.From; pc < r.To; pc++ {
				if at := d.where(v.Locate(pc, c)); at != last {
					d.line(depth+2, "%d: %s", pc, at)
					last = at
				}
			}
		}
	}
	for _, in := range s.Inner {
		d.scope(in, depth+1, c)
	}
}

func (d *dumper) fields(t *debuginfo.Type) {
	for _, f := range t.Members() {
		d.line(2, "%s: %s at %d bits %d/%d base=%v", f.Name, d.name(f.Type), f.Offset, f.BitSize, f.BitOffset,
			f.Base)
	}
}

func (d *dumper) full(t *debuginfo.Type) {
	d.line(1, "%q %s kind %d size %d %v", t.Name, t.Word, t.Kind, t.Size, t.Decl)
	for _, a := range t.Args {
		value := ""
		if a.Value != nil {
			value = fmt.Sprint(*a.Value)
		}
		d.line(2, "<%s: %s %s>", a.Name, d.name(a.Type), value)
	}
	for _, v := range t.Values {
		d.line(2, "%s = %d", v.Name, v.Value)
	}
	if t.Members != nil {
		d.fields(t)
	}
	if t.Variants != nil {
		part := t.Variants()
		d.line(2, "discriminant %+v", part.Discr != nil)
		for _, v := range part.Variants {
			d.line(3, "%v %s: %s at %d", v.Values, v.Field.Name, d.name(v.Field.Type), v.Field.Offset)
		}
	}
	if t.Signature != nil {
		params, result := t.Signature()
		for _, p := range params {
			d.line(2, "param %s", d.name(p))
		}
		d.line(2, "result %s", d.name(result))
	}
}

// dump writes all that is read of a program.
func dump(r *Reader) string {
	d := &dumper{types: map[*debuginfo.Type]bool{}}
	c := &fake{locals: map[uint32]uint64{}, globals: map[uint32]uint64{}}
	for i := range uint32(100) {
		c.locals[i], c.globals[i] = 1000, 1000
	}
	d.line(0, "%s", r.Format())
	for i := range r.in.Module.Funcs {
		f := r.Func(uint32(i))
		if f == nil {
			continue
		}
		d.line(0, "\n%d %s %s %v body %d runtime=%v", i, f.Name, f.Linkage, f.Decl, f.Body, f.Runtime)
		for _, x := range f.Rows {
			d.line(1, "%d %v stmt=%v end=%v", x.PC, x.Place, x.Stmt, x.PrologueEnd)
		}
		if f.Root != nil {
			d.scope(f.Root, 1, c)
		}
	}
	d.line(0, "\nglobals")
	for _, v := range r.Globals(uint32(len(r.in.Module.Funcs) - 1)) {
		d.line(1, "%s: %s %v %s", v.Name, d.name(v.Type), v.Decl, d.where(v.Locate(0, c)))
	}
	d.line(0, "\ntypes")
	for len(d.queue) > 0 {
		t := d.queue[0]
		d.queue = d.queue[1:]
		d.full(t)
	}
	return d.String()
}

// TestGolden tests all that is read of programs that compilers made.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.wasm")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, f := range files {
		r, _ := open(t, f)
		got := dump(r)
		golden := strings.TrimSuffix(f, ".wasm") + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs: see `go test -update` and the difference", golden)
		}
	}
}

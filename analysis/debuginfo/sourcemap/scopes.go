package sourcemap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"stackscope/analysis/debuginfo"
)

// The bounds of `scopes`.
const (
	maxScopeItems = 1 << 20
	maxScopeDepth = 500
)

// scope is a scope of the source: a function, or a block in one.
type scope struct {
	source     int // index in Map.Sources
	line, col  int // where it begins, from 0
	name, kind string
	vars       []string
}

// genRange is bytes of the module that a scope of the source was compiled to.
type genRange struct {
	from, to uint32
	def      *scope // nil: it has none
	frame    bool   // a function of the module
	hidden   bool
	call     *callSite // the range is an inlined call; nil: it is none
	values   []string  // of the variables of def, as expressions; "": there is none
	subs     map[int][]subRange
	inner    []*genRange
}

// callSite is where a call was that has been inlined.
type callSite struct{ source, line, col int }

// subRange is the expression for the value of a variable from an offset on.
type subRange struct {
	from  uint32
	value string
}

// The tags of items.
const (
	tagScopeStart = 1 + iota
	tagScopeEnd
	tagScopeVars
	tagRangeStart
	tagRangeEnd
	tagRangeValues
	tagRangeSub
	tagRangeCall
)

// scopeReader decodes the `scopes` of a map, or of a section of an index map.
type scopeReader struct {
	m      *Map
	p      part
	starts []*scope // in the order of their starts
	open   int      // scopes that are open
	line   int64    // of the last start or end of a scope
	col    int64
	source int // of the scopes that are read
	// The numbers that the next ones count from.
	name, kind, variable, def int64

	depth   []*scope
	ranges  []*genRange // that are open
	column  int64       // of the last start or end of a range
	sub     int64
	out     []*genRange
	ignored int // items that are malformed
}

// decodeScopes returns the ranges of the map, ascending.
func (m *Map) decodeScopes() (out []*genRange) {
	for _, p := range m.scopes {
		r := &scopeReader{m: m, p: p, source: -1}
		r.read()
		if r.ignored > 0 {
			m.warn("%d parts of the scopes in the source map are malformed, and are left out", r.ignored)
		}
		out = append(out, r.out...)
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].from < out[k].from })
	return out
}

func (r *scopeReader) read() {
	items := 0
	v := vlqReader{s: r.p.encoded}
	for first := true; first || !v.eof(); first = false {
		if items++; items > maxScopeItems {
			r.ignored++
			return
		}
		if !v.more() { // an empty item: a source without scopes
			if len(r.ranges) == 0 && r.open == 0 {
				r.source++
			}
		} else if !r.item(&v) {
			r.ignored++
			return // the numbers that follow count from this one
		}
		v.toComma()
		if !v.skip(',') {
			break
		}
	}
	if r.open > 0 || len(r.ranges) > 0 {
		r.ignored++
	}
}

// item reads an item. It reports whether it is well-formed.
func (r *scopeReader) item(v *vlqReader) bool {
	switch tag := v.unsigned(); tag {
	case 0:
		r.source++
	case tagScopeStart:
		return r.scopeStart(v)
	case tagScopeEnd:
		if r.open == 0 {
			return false
		}
		r.open--
		r.position(v)
		r.depth = r.depth[:len(r.depth)-1]
	case tagScopeVars:
		if r.open == 0 {
			return false
		}
		s := r.depth[len(r.depth)-1]
		for v.more() {
			r.variable += v.signed()
			s.vars = append(s.vars, r.nameAt(r.variable))
		}
	case tagRangeStart:
		return r.rangeStart(v)
	case tagRangeEnd:
		return r.rangeEnd(v)
	case tagRangeValues:
		if len(r.ranges) == 0 {
			return false
		}
		g := r.ranges[len(r.ranges)-1]
		for v.more() {
			g.values = append(g.values, r.nameAt(v.unsigned()-1))
		}
	case tagRangeSub:
		return r.subRanges(v)
	case tagRangeCall:
		if len(r.ranges) == 0 {
			return false
		}
		g := r.ranges[len(r.ranges)-1]
		source, line, col := v.unsigned(), v.unsigned(), v.unsigned()
		if source < int64(r.p.sources) && line < 1<<31 && col < 1<<31 {
			g.call = &callSite{r.p.source + int(source), int(line), int(col)}
		}
	}
	return !v.err
}

// nameAt returns a name by its index; "" if there is none.
func (r *scopeReader) nameAt(i int64) string {
	if i += int64(r.p.names); i < int64(r.p.names) || i >= int64(len(r.m.Names)) {
		return ""
	}
	return r.m.Names[i]
}

// position reads a line and a column of the source.
func (r *scopeReader) position(v *vlqReader) {
	line, col := v.unsigned(), v.unsigned()
	if line == 0 {
		col += r.col
	}
	r.line, r.col = r.line+line, col
}

func (r *scopeReader) scopeStart(v *vlqReader) bool {
	if r.open == 0 {
		r.source++
		r.line, r.col = 0, 0
	}
	if r.open >= maxScopeDepth || len(r.ranges) > 0 {
		return false
	}
	flags := v.unsigned()
	r.position(v)
	s := &scope{source: -1, line: int(r.line), col: int(r.col)}
	if r.source < r.p.sources && r.line < 1<<31-1 && r.col < 1<<31-1 {
		s.source = r.p.source + r.source
	}
	if flags&1 != 0 {
		r.name += v.signed()
		s.name = r.nameAt(r.name)
	}
	if flags&2 != 0 {
		r.kind += v.signed()
		s.kind = r.nameAt(r.kind)
	}
	r.open++
	r.depth = append(r.depth, s)
	r.starts = append(r.starts, s)
	return !v.err
}

// offset reads an offset in the module; ok is false if it is not one of its only line.
func (r *scopeReader) offset(v *vlqReader) (off uint32, ok bool) {
	r.column += v.unsigned()
	off64 := r.column + int64(r.p.offset)
	return uint32(off64), !v.err && off64 < 1<<32
}

func (r *scopeReader) rangeStart(v *vlqReader) bool {
	flags := v.unsigned()
	if flags&1 != 0 && v.unsigned() != 0 || len(r.ranges) >= maxScopeDepth {
		return false
	}
	from, ok := r.offset(v)
	g := &genRange{from: from, frame: flags&4 != 0, hidden: flags&8 != 0}
	if flags&2 != 0 {
		r.def += v.signed()
		if r.def >= 0 && r.def < int64(len(r.starts)) {
			g.def = r.starts[r.def]
		}
	}
	r.ranges = append(r.ranges, g)
	r.sub = 0
	return ok && !v.err
}

func (r *scopeReader) rangeEnd(v *vlqReader) bool {
	n := len(r.ranges)
	if n == 0 {
		return false
	}
	at := *v
	at.unsigned()
	if at.more() && v.unsigned() != 0 { // a line
		return false
	}
	g := r.ranges[n-1]
	to, ok := r.offset(v)
	if !ok || to < g.from {
		return false
	}
	g.to = to
	r.ranges = r.ranges[:n-1]
	if n == 1 {
		r.out = append(r.out, g)
	} else {
		p := r.ranges[n-2]
		p.inner = append(p.inner, g)
	}
	return true
}

func (r *scopeReader) subRanges(v *vlqReader) bool {
	if len(r.ranges) == 0 {
		return false
	}
	g := r.ranges[len(r.ranges)-1]
	r.sub += v.unsigned()
	at := int64(g.from)
	for v.more() {
		value, line := r.nameAt(v.unsigned()-1), v.unsigned()
		at += v.unsigned()
		if v.err || line != 0 || at >= 1<<32 || r.sub >= 1<<20 {
			return false
		}
		if g.subs == nil {
			g.subs = map[int][]subRange{}
		}
		g.subs[int(r.sub)] = append(g.subs[int(r.sub)], subRange{uint32(at), value})
	}
	return true
}

// function returns the innermost range of a function of the module around an offset; nil: there is
// none.
func function(ranges []*genRange, off uint32) (found *genRange) {
	for len(ranges) > 0 {
		i := sort.Search(len(ranges), func(i int) bool { return ranges[i].from > off }) - 1
		if i < 0 || off >= ranges[i].to {
			break
		}
		if ranges[i].frame && ranges[i].call == nil {
			found = ranges[i]
		}
		ranges = ranges[i].inner
	}
	return found
}

// applyScopes takes the name and the variables of a function from the `scopes` of the map.
func (r *Reader) applyScopes(fn uint32, f *debuginfo.Func) {
	wf := &r.m.Funcs[fn]
	if len(r.ranges) == 0 || len(wf.Body) == 0 {
		return
	}
	g := function(r.ranges, uint32(wf.Body[0].At))
	if g == nil {
		return
	}
	f.Runtime = f.Runtime || g.hidden
	if g.def == nil {
		return
	}
	if g.def.name != "" {
		f.Name = g.def.name
	}
	if at := r.place(g.def.source, g.def.line, g.def.col); at.File != nil {
		f.Decl = at
	}
	root := r.scopeOf(fn, g, debuginfo.ScopeFunc)
	root.Name, root.Ranges = f.Name, []debuginfo.Range{{From: 0, To: len(wf.Body)}}
	if len(g.def.vars) > 0 || f.Root == nil || len(root.Inner) > 0 {
		f.Root = root
	}
}

// place returns a place of the map; the zero Place if the source is none.
func (r *Reader) place(source, line, col int) debuginfo.Place {
	if source < 0 || source >= len(r.files) || r.files[source] == nil {
		return debuginfo.Place{}
	}
	return debuginfo.Place{File: r.files[source], Line: line + 1, Col: col + 1}
}

// scopeOf makes the scope of a range, with those in it.
func (r *Reader) scopeOf(fn uint32, g *genRange, kind debuginfo.ScopeKind) *debuginfo.Scope {
	body := r.m.Funcs[fn].Body
	pc := func(off uint32) int {
		return sort.Search(len(body), func(i int) bool { return uint32(body[i].At) >= off })
	}
	s := &debuginfo.Scope{Kind: kind}
	if from, to := pc(g.from), pc(g.to); from < to {
		s.Ranges = []debuginfo.Range{{From: from, To: to}}
	}
	if g.def != nil {
		s.Name = g.def.name
		s.Decl = r.place(g.def.source, g.def.line, g.def.col)
		for i, name := range g.def.vars {
			if name == "" {
				continue
			}
			s.Vars = append(s.Vars, r.scopeVariable(fn, g, i, name, pc))
		}
	}
	if g.call != nil {
		s.Kind = debuginfo.ScopeInline
		s.Call = r.place(g.call.source, g.call.line, g.call.col)
	}
	for _, x := range g.inner {
		if x.frame && x.call == nil {
			continue // another function
		}
		if in := r.scopeOf(fn, x, debuginfo.ScopeBlock); len(in.Ranges) > 0 {
			s.Inner = append(s.Inner, in)
		}
	}
	return s
}

// scopeVariable makes the ith variable of a range.
func (r *Reader) scopeVariable(fn uint32, g *genRange, i int, name string, pc func(uint32) int) *debuginfo.Variable {
	type from struct {
		pc    int
		where debuginfo.Where
		err   error
	}
	value := func(at int, expr string) from {
		where, err := r.value(fn, expr)
		return from{at, where, err}
	}
	first := ""
	if i < len(g.values) {
		first = g.values[i]
	}
	parts := []from{value(0, first)}
	for _, s := range g.subs[i] {
		parts = append(parts, value(pc(s.from), s.value))
	}
	v := &debuginfo.Variable{Name: name}
	if where := parts[0].where; len(where) == 1 {
		switch where[0].Kind {
		case debuginfo.InLocal:
			if ft := r.m.FuncType(r.m.Funcs[fn].Type); ft != nil {
				v.Param = int(where[0].Index) < len(ft.Params)
			}
		case debuginfo.Constant:
			v.Type = &debuginfo.Type{Kind: debuginfo.KindInt, Name: "number", Size: 8, Count: -1}
		}
	}
	v.Locate = func(at int, _ debuginfo.Context) (debuginfo.Where, error) {
		k := sort.Search(len(parts), func(k int) bool { return parts[k].pc > at }) - 1
		return parts[max(k, 0)].where, parts[max(k, 0)].err
	}
	return v
}

// value returns where the value of an expression is. What can be said of a module's values are the
// names and numbers of locals, and whole numbers; the rest of JavaScript cannot be evaluated here.
func (r *Reader) value(fn uint32, expr string) (debuginfo.Where, error) {
	expr = strings.TrimSpace(expr)
	if expr == "" {
		return nil, debuginfo.ErrOptimizedOut
	}
	bare := strings.TrimPrefix(expr, "$")
	wf := &r.m.Funcs[fn]
	n := len(wf.Locals)
	if ft := r.m.FuncType(wf.Type); ft != nil {
		n += len(ft.Params)
	}
	found := -1
	for i, name := range r.m.Names.Locals[fn] {
		if (name == expr || name == bare) && int(i) < n && (found < 0 || int(i) < found) {
			found = int(i)
		}
	}
	if found < 0 {
		for _, prefix := range []string{"$var", "local", "$local", "$"} { // as engines name what has no name
			if s, ok := strings.CutPrefix(expr, prefix); ok {
				if i, err := strconv.Atoi(s); err == nil && i >= 0 && i < n {
					found = i
					break
				}
			}
		}
	}
	if found >= 0 {
		return debuginfo.Where{{Kind: debuginfo.InLocal, Index: uint32(found)}}, nil
	}
	if x, err := strconv.ParseInt(expr, 10, 64); err == nil {
		return debuginfo.Where{{Kind: debuginfo.Constant, Bytes: binary.LittleEndian.AppendUint64(nil, uint64(x))}}, nil
	}
	if len(expr) > 80 {
		return nil, errors.New("the value is an expression of JavaScript")
	}
	return nil, fmt.Errorf("the value is the expression %s of JavaScript", expr)
}

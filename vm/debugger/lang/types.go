package lang

import (
	"fmt"
	"strings"

	"stackscope/analysis/debuginfo"
)

// TypeName writes a type as the source would: `struct point *`, `char [8]`, `&str`.
func TypeName(t *debuginfo.Type) string { return declare(t, "", 0) }

// TypeName returns the name of the value's type.
func (v Value) TypeName() string {
	switch {
	case v.form == formObject:
		return objectType(v)
	case v.form == formList || v.typ == nil:
		return ""
	}
	if class := managedTarget(v); class != nil {
		return ClassName(debuginfo.AssemblyScript, class.Name)
	}
	if name := printedName(v); name != "" {
		return prettyName(langOf(debuginfo.Strip(v.typ)), name)
	}
	return prettyName(langOf(debuginfo.Strip(v.typ)), TypeName(v.typ))
}

// declare writes a type with what it declares in the middle, as C does.
func declare(t *debuginfo.Type, inner string, depth int) string {
	join := func(s string) string {
		switch {
		case inner == "":
			return s
		case strings.HasSuffix(s, "*") || strings.HasSuffix(s, "&"):
			return s + inner
		}
		return s + " " + inner
	}
	if depth > 20 {
		return join("…")
	}
	if t == nil {
		return join("void")
	}
	if t.Name != "" {
		name := t.Name
		switch t.Kind {
		case debuginfo.KindStruct, debuginfo.KindUnion, debuginfo.KindEnum:
			if t.Language == debuginfo.C && t.Word != "" && !strings.HasPrefix(name, t.Word+" ") {
				name = t.Word + " " + name
			}
		case debuginfo.KindQualified:
			name = t.Word + " " + name
		}
		return join(name)
	}
	target := func() *debuginfo.Type {
		if t.Target == nil {
			return nil
		}
		return t.Target()
	}
	rust := t.Language == debuginfo.Rust || t.Language == debuginfo.Zig
	switch t.Kind {
	case debuginfo.KindPointer, debuginfo.KindReference, debuginfo.KindMember:
		mark := "*"
		if t.Kind == debuginfo.KindReference {
			mark = "&"
		}
		to := target()
		switch {
		case rust:
			return join(mark + declare(to, "", depth+1))
		case to != nil && to.Name == "" && (to.Kind == debuginfo.KindArray || to.Kind == debuginfo.KindFunc):
			return declare(to, "("+mark+inner+")", depth+1)
		}
		return declare(to, mark+inner, depth+1)
	case debuginfo.KindArray:
		n := ""
		if t.Count >= 0 {
			n = fmt.Sprint(t.Count)
		}
		switch {
		case t.Language == debuginfo.Rust:
			return join("[" + declare(target(), "", depth+1) + "; " + n + "]")
		case t.Language == debuginfo.Zig:
			return join("[" + n + "]" + declare(target(), "", depth+1))
		}
		return declare(target(), inner+"["+n+"]", depth+1)
	case debuginfo.KindFunc:
		var ps []*debuginfo.Type
		var result *debuginfo.Type
		if t.Signature != nil {
			ps, result = t.Signature()
		}
		words := make([]string, 0, min(len(ps), 20))
		for i, p := range ps {
			if i == 20 {
				words = append(words, "…")
				break
			}
			words = append(words, declare(p, "", depth+1))
		}
		if rust {
			return join("fn(" + strings.Join(words, ", ") + ") -> " + declare(result, "", depth+1))
		}
		if len(words) == 0 && t.Language == debuginfo.C {
			words = append(words, "void")
		}
		return declare(result, inner+"("+strings.Join(words, ", ")+")", depth+1)
	case debuginfo.KindQualified:
		to := target()
		if to != nil && to.Kind == debuginfo.KindPointer && to.Name == "" {
			return declare(to, t.Word+pad(inner), depth+1)
		}
		return t.Word + " " + declare(to, inner, depth+1)
	case debuginfo.KindAlias:
		return declare(target(), inner, depth+1)
	case debuginfo.KindStruct, debuginfo.KindUnion, debuginfo.KindEnum:
		word := t.Word
		if word == "" {
			word = "struct"
		}
		return join(word + " {…}")
	case debuginfo.KindVoid:
		return join("void")
	}
	return join("?")
}

func pad(s string) string {
	if s == "" || s[0] == '[' || s[0] == '(' {
		return s
	}
	return " " + s
}

// fieldsOf returns the fields of a struct or union, once.
func (e *Env) fieldsOf(t *debuginfo.Type) []debuginfo.Field {
	if t == nil || t.Members == nil {
		return nil
	}
	if fs, ok := e.fields[t]; ok {
		return fs
	}
	if e.fields == nil {
		e.fields = map[*debuginfo.Type][]debuginfo.Field{}
	}
	if len(e.fields) > 10000 {
		clear(e.fields)
	}
	fs := t.Members()
	e.fields[t] = fs
	return fs
}

// isChar reports whether a type is a character that texts in memory are made of: one byte.
func isChar(t *debuginfo.Type) bool {
	s := debuginfo.Strip(t)
	return s != nil && s.Kind == debuginfo.KindChar && s.Size == 1
}

func kindOf(t *debuginfo.Type) debuginfo.Kind {
	if s := debuginfo.Strip(t); s != nil {
		return s.Kind
	}
	return debuginfo.KindUnknown
}

// targetOf returns what a pointer, reference or array is of; nil if that is void or not known.
func targetOf(t *debuginfo.Type) *debuginfo.Type {
	s := debuginfo.Strip(t)
	if s == nil || s.Target == nil {
		return nil
	}
	return s.Target()
}

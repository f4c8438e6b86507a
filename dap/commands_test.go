package dap

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	engine "stackscope/vm/debugger"

	"stackscope/stackview"
)

// fieldsOf lists the names that JSON has for the fields of a struct, embedded ones too.
func fieldsOf(t reflect.Type) (out []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name != "":
			out = append(out, name)
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			out = append(out, fieldsOf(f.Type.Elem())...)
		case f.Anonymous:
			out = append(out, fieldsOf(f.Type)...)
		}
	}
	slices.Sort(out)
	return out
}

func names(fs []Field) (out []string) {
	for _, f := range fs {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return out
}

// TestCustomRequestsDescribed compares the descriptions of the custom requests with the handlers
// and the structs that they read and write.
func TestCustomRequestsDescribed(t *testing.T) {
	described := map[string]CustomRequest{}
	for _, r := range CustomRequests() {
		described[r.Name] = r
	}
	for _, name := range Requests() {
		if _, ok := described[name]; strings.Contains(name, "/") && !ok {
			t.Errorf("%s is not described", name)
		}
	}
	stacks := described["stackscope/stacks"]
	same := func(what string, got []Field, typ reflect.Type) {
		if want := fieldsOf(typ); !slices.Equal(names(got), want) {
			t.Errorf("%s: described %q, the struct has %q", what, names(got), want)
		}
	}
	same("cancel", described["stackscope/cancel"].Arguments, reflect.TypeFor[cancelArguments]())
	same("focus", described["stackscope/focus"].Arguments, reflect.TypeFor[focusArguments]())
	same("view", described["stackscope/view"].Arguments, reflect.TypeFor[viewArguments]())
	same("view answer", described["stackscope/view"].Result, reflect.TypeFor[viewBody]())
	same("stacks", stacks.Arguments, reflect.TypeFor[stacksArguments]())
	same("answer", stacks.Result, reflect.TypeFor[stacksBody]())
	for _, f := range stacks.Result {
		switch f.Name {
		case "stacks":
			same("stack", f.Sub, reflect.TypeFor[stackview.JSONNode]())
			for _, x := range f.Sub {
				if x.Name == "at" {
					same("site", x.Sub, reflect.TypeFor[engine.Site]())
				}
			}
		case "groups":
			same("group", f.Sub, reflect.TypeFor[engine.Group]())
		}
	}
}

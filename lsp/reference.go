package lsp

import (
	"encoding/json"
	"reflect"
	"strings"

	"stackscope/lsp/internal/workspace"
)

// Setting describes a setting of the section `stackscope` for the reference.
type Setting struct {
	Name    string // without the section: `lenses.run`
	Type    string // in JSON: `boolean`, `number`, `string`, `object`
	Default string // as JSON
	Doc     string // a sentence or two
}

// RequestInfo describes a request of our own for the reference.
type RequestInfo struct {
	Method string
	Doc    string // one sentence
	Params []FieldInfo
	Result []FieldInfo
}

// FieldInfo describes a field of a JSON object.
type FieldInfo struct {
	Name     string // with the name of the object that it is in: `exports[].name`
	Type     string // `boolean`, `number`, `string`, `object`, `Range`, `Position`, or one of these with `[]`
	Optional bool   // it may be absent
	Doc      string // one sentence
}

// CommandInfo describes a command that a code lens asks the client to run.
type CommandInfo struct {
	Name      string
	Arguments string
	Doc       string // one sentence
}

// Settings returns the settings that the server reads from the client.
func Settings() []Setting {
	return settingsOf("", reflect.ValueOf(workspace.DefaultConfig("")))
}

func settingsOf(prefix string, v reflect.Value) []Setting {
	var out []Setting
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := prefix + jsonName(f)
		if f.Type.Kind() == reflect.Struct {
			out = append(out, settingsOf(name+".", v.Field(i))...)
			continue
		}
		def := "{}"
		if f.Type.Kind() != reflect.Map {
			b, err := json.Marshal(v.Field(i).Interface())
			if err != nil {
				panic(err) // a setting is a boolean, a number or a string
			}
			def = string(b)
		}
		out = append(out, Setting{name, jsonType(f.Type), def, f.Tag.Get("doc")})
	}
	return out
}

// Requests returns the requests of our own.
func Requests() []RequestInfo {
	var out []RequestInfo
	for _, r := range customRequests {
		out = append(out, RequestInfo{r.method, r.doc, fieldsOf("", r.params), fieldsOf("", r.result)})
	}
	return out
}

func fieldsOf(prefix string, t reflect.Type) []FieldInfo {
	var out []FieldInfo
	for i := range t.NumField() {
		f := t.Field(i)
		name := prefix + jsonName(f)
		out = append(
			out,
			FieldInfo{name, jsonType(f.Type), strings.Contains(f.Tag.Get("json"), ",omitempty"), f.Tag.Get("doc")},
		)
		inner := f.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			if inner.Kind() == reflect.Slice {
				name += "[]"
			}
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.PkgPath() == reflect.TypeFor[Server]().PkgPath() {
			out = append(out, fieldsOf(name+".", inner)...)
		}
	}
	return out
}

// Commands returns the commands that code lenses ask the client to run.
func Commands() []CommandInfo {
	return []CommandInfo{
		{CommandRun, "the URI of the document, the name of the export", "Runs an exported function."},
		{CommandDebug, "the URI of the document, the name of the export", "Debugs an exported function."},
		{CommandRunScript, "the URI of the script, the line of the command, from 1", "Runs a command of a script."},
		{CommandDebugScript, "the URI of the script, the line of the command, from 1",
			"Debugs a command of a script."},
		{
			CommandReferences,
			"the URI of the document, a position in it, an array of locations",
			"Shows the references to an item.",
		},
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Int:
		return "number"
	case reflect.Slice:
		return jsonType(t.Elem()) + "[]"
	case reflect.Pointer:
		return jsonType(t.Elem())
	}
	switch t.Name() {
	case "Range", "Position":
		return t.Name()
	}
	return "object"
}

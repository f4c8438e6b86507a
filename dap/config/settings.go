package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
)

// The settings of a configuration are the fields of its Go struct: the tag `json` names a setting,
// `one` lists the values that a string can have, `old` those that are still accepted, `max` bounds
// a number (no number is negative), and `own:"true"` marks a setting that people do not write: the
// client, or this adapter, sets it. settings_table.go describes them. The checks here, package.json
// of the extension and docs/reference/launch.md derive from that.

// Setting is a setting of a launch or attach configuration.
type Setting struct {
	Key         string   // of a setting in an object: `limits.fuel`
	Request     string   // launch or attach: the request whose configuration has it
	Type        string   // as JSON Schema names it: string, boolean, integer, array, object
	Description string   // one or more sentences of plain English
	Default     any      // the value without the setting; nil: there is none, or Description names it
	Example     any      // what an editor fills in; nil: Default
	One         []string // the values that a string can have; nil: any
	Own         bool     // the client or this adapter sets it, nobody writes it
	Required    bool
	Max         uint64 // of a number; numbers start at 0
	Sub         []Setting

	typ  reflect.Type
	name string // the last part of Key
	old  []string
}

// Settings lists the settings of launch and attach configurations: name, type, default, description
// and the request that they apply to.
func Settings() []Setting { return append(LaunchSettings(), AttachSettings()...) }

// LaunchSettings lists the settings of a launch configuration.
func LaunchSettings() []Setting { return settingsOf(reflect.TypeFor[Launch](), "launch", "") }

// AttachSettings lists the settings of an attach configuration.
func AttachSettings() []Setting { return settingsOf(reflect.TypeFor[Attach](), "attach", "") }

// settingsOf lists the settings of a configuration's struct.
func settingsOf(t reflect.Type, request, prefix string) (out []Setting) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		s := Setting{
			Key: prefix + name, name: name, Request: request, Type: jsonType(f.Type),
			One: strings.Fields(f.Tag.Get("one")), old: strings.Fields(f.Tag.Get("old")),
			Own: f.Tag.Get("own") != "", Required: f.Tag.Get("required") != "", typ: f.Type, Max: math.MaxUint64,
		}
		text, ok := launchTexts[s.Key]
		if other, is := attachTexts[s.Key]; is && (request == "attach" || !ok) {
			text = other
		}
		s.Description, s.Default, s.Example = text.text, text.initial, text.example
		if f.Type.Kind() == reflect.Int {
			s.Max = math.MaxInt
		}
		if n, err := strconv.ParseUint(f.Tag.Get("max"), 10, 64); err == nil {
			s.Max = n
		}
		if f.Type.Kind() == reflect.Struct {
			s.Sub = settingsOf(f.Type, request, s.Key+".")
		}
		out = append(out, s)
	}
	return out
}

// jsonType returns the name that JSON Schema has for a field's type.
func jsonType(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Strings](), reflect.TypeFor[Dirs](), reflect.TypeFor[Paths](),
		reflect.TypeFor[Substitutions]():
		return "array"
	case reflect.TypeFor[Pairs](), reflect.TypeFor[Rules]():
		return "object"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Struct:
		return "object"
	}
	return "integer"
}

// editorKeys are the settings of a configuration that editors read themselves and send along. Those
// that begin with `__` are editors' own too.
var editorKeys = []string{
	"type", "request", "name", // everywhere
	"preLaunchTask", "postDebugTask", "internalConsoleOptions", "presentation", "debugServer", "serverReadyAction", "suppressMultipleSessionWarning",
	"linux", "osx", "windows", "noDebug", // VS Code; noDebug is a setting of ours only in launch
}

// readConfig reads a configuration into the struct that describes it. What is of the wrong type or
// has a wrong value is an error; what is unknown is left out, and is in the warnings.
func readConfig(raw json.RawMessage, into any, what string) (warnings []string, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	all := settingsOf(reflect.TypeOf(into).Elem(), "", "")
	known, err := checkSettings(raw, all, func(key string) {
		name := key[strings.LastIndexByte(key, '.')+1:]
		if key == name && (slices.Contains(editorKeys, key) || strings.HasPrefix(key, "__")) {
			return
		}
		w := fmt.Sprintf("%s: unknown setting %q", what, key)
		if near := nearSetting(name, all); near != "" {
			w += fmt.Sprintf("; did you mean %q?", near)
		}
		warnings = append(warnings, w)
	})
	if err == nil {
		err = json.Unmarshal(known, into)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	slices.Sort(warnings)
	return warnings, nil
}

// checkSettings checks the settings of an object, and returns it with only those that are known.
func checkSettings(raw json.RawMessage, all []Setting, unknown func(key string)) (json.RawMessage, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, fmt.Errorf("want an object, not %.60s", raw)
	}
	prefix := ""
	if len(all) > 0 {
		prefix = strings.TrimSuffix(all[0].Key, all[0].name)
	}
	known := map[string]json.RawMessage{}
	for key, value := range given {
		i := slices.IndexFunc(all, func(s Setting) bool { return s.name == key })
		switch {
		case i < 0:
			unknown(prefix + key)
			continue
		case string(value) == "null": // as if it were not there
			continue
		}
		v, err := all[i].check(value, unknown)
		if err != nil {
			return nil, err
		}
		known[key] = v
	}
	return json.Marshal(known)
}

// check checks the value of a setting.
func (s *Setting) check(raw json.RawMessage, unknown func(key string)) (json.RawMessage, error) {
	wrong := func(want string) error { return fmt.Errorf("%q is %.60s; want %s", s.Key, raw, want) }
	if x, ok := reflect.New(s.typ).Interface().(json.Unmarshaler); ok {
		if err := x.UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("%q is %.60s: %w", s.Key, raw, err)
		}
		return raw, nil
	}
	switch s.typ.Kind() {
	case reflect.Struct:
		if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
			var keys []string
			for _, x := range s.Sub {
				keys = append(keys, x.name)
			}
			return nil, wrong("an object with " + strings.Join(keys, ", "))
		}
		return checkSettings(raw, s.Sub, unknown)
	case reflect.Bool:
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return nil, wrong("true or false")
		}
	case reflect.String:
		var text string
		switch {
		case json.Unmarshal(raw, &text) != nil:
			return nil, wrong("a string")
		case len(s.One) > 0 && text != "" && !slices.Contains(s.One, text) && !slices.Contains(s.old, text):
			last := len(s.One) - 1
			return nil, wrong(strings.Join(s.One[:last], ", ") + " or " + s.One[last])
		}
	default:
		n, err := strconv.ParseUint(string(bytes.TrimSpace(raw)), 10, 64)
		if err != nil || n > s.Max {
			return nil, wrong(fmt.Sprintf("an integer from 0 to %d", s.Max))
		}
	}
	return raw, nil
}

// nearSetting returns the known setting that was probably meant, "" if none is near.
func nearSetting(name string, all []Setting) string {
	best, near := 1+len(name)/4, ""
	var look func([]Setting)
	look = func(all []Setting) {
		for _, s := range all {
			if d := editDistance(strings.ToLower(name), strings.ToLower(s.name)); !s.Own &&
				(d < best || d == best && near == "") {
				best, near = d, s.Key
			}
			look(s.Sub)
		}
	}
	if len(name) <= 64 {
		look(all)
	}
	return near
}

// editDistance counts the letters to insert, delete or replace to get from a to b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// CheckCancelTag warns if no module of a program has the tag that stacks are cancelled with. It is
// no error: one configuration may serve many programs, and a script makes modules while it runs.
func (l *Launch) CheckCancelTag(p *debugger.Program, what string) {
	if l.CancelTag == "" {
		return
	}
	var have []Setting
	for _, u := range p.Units {
		if _, ok := symbols.FindTag(u.Module, l.CancelTag); ok {
			return
		}
		for i := range u.Module.Tags {
			name := u.Module.Names.Tag(uint32(i))
			have = append(have, Setting{Key: name, name: name})
		}
	}
	text := fmt.Sprintf(`%s: "cancelTag" is %q; no module has that tag`, what, l.CancelTag)
	if near := nearSetting(l.CancelTag, have); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	l.Warnings = append(l.Warnings, text)
}

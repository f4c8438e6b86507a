package dap_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"stackscope/dap/config"
	"strings"
	"testing"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// contributed is what the extension says of a setting.
type contributed struct {
	Type       any                    `json:"type"`
	Enum       []string               `json:"enum"`
	Maximum    uint64                 `json:"maximum"`
	Properties map[string]contributed `json:"properties"`
}

// TestSettingsOfExtension compares the settings that the adapter has with those that the
// extension offers, and that docs/reference/launch.md names.
func TestSettingsOfExtension(t *testing.T) {
	var manifest struct {
		Contributes struct {
			Debuggers []struct {
				ConfigurationAttributes map[string]struct{ Properties map[string]contributed }
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join("..", "editors", "vscode", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile(filepath.Join("..", "docs", "reference", "launch.md"))
	if err != nil {
		t.Fatal(err)
	}
	attributes := manifest.Contributes.Debuggers[0].ConfigurationAttributes
	var compare func(request string, known []config.Setting, offered map[string]contributed)
	compare = func(request string, known []config.Setting, offered map[string]contributed) {
		for _, s := range known {
			name := s.Key[strings.LastIndexByte(s.Key, '.')+1:]
			o, ok := offered[name]
			delete(offered, name)
			if s.Own {
				if ok {
					t.Errorf("%s: package.json offers %q, which is for clients only", request, s.Key)
				}
				continue
			}
			if !ok {
				t.Errorf("%s: package.json does not offer %q", request, s.Key)
				continue
			}
			if !slices.Equal(o.Enum, s.One) && len(o.Enum)+len(s.One) > 0 {
				t.Errorf("%s: %q can be %q, in package.json %q", request, s.Key, s.One, o.Enum)
			}
			if o.Maximum != 0 && o.Maximum != s.Max {
				t.Errorf("%s: %q can be up to %d, in package.json %d", request, s.Key, s.Max, o.Maximum)
			}
			if !strings.Contains(string(docs), "`"+s.Key+"`") {
				t.Errorf("%s: docs/reference/launch.md does not name `%s`", request, s.Key)
			}
			compare(request, s.Sub, o.Properties)
		}
		for name := range offered {
			t.Errorf("%s: package.json offers %q, which the adapter does not know", request, name)
		}
	}
	compare("launch", config.LaunchSettings(), attributes["launch"].Properties)
	compare("attach", config.AttachSettings(), attributes["attach"].Properties)
}

// TestEverySettingIsChecked sets every setting to a value of each wrong type: none passes.
func TestEverySettingIsChecked(t *testing.T) {
	values := map[string]any{
		"text": "bogus", "negative": -4, "fraction": 1.5, "yes": true,
		"object": map[string]any{"a": map[string]any{}}, "list": []any{map[string]any{}},
		"huge": json.Number("1e30"),
	}
	// What is right of each kind of field in the struct.
	right := map[string][]string{
		"bool": {
			"yes",
		}, "int": {}, "uint64": {}, "string": {"text"}, "Limits": {"object"}, "Strings": {"text"}, "Pairs": {}, "Dirs": {},
		"Paths": {"text"}, "Rules": {}, "Substitutions": {},
	}
	var each func(prefix string, typ reflect.Type)
	each = func(prefix string, typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" || name == "program" {
				continue
			}
			for kind, value := range values {
				if slices.Contains(
					right[f.Type.Name()], kind,
				) && (kind != "text" || f.Tag.Get("one") == "" && name != "cwd") {
					continue
				}
				conf := map[string]any{"program": "test.wat"}
				if prefix == "" {
					conf[name] = value
				} else {
					conf[prefix] = map[string]any{name: value}
				}
				c := connect(t, dap.Config{})
				c.initialize()
				if got := c.refused("launch", conf); kind != "object" && !strings.Contains(got, name) {
					t.Errorf("%s, %s: %s", name, kind, got)
				}
				c.Close()
			}
			if f.Type.Kind() == reflect.Struct {
				each(name, f.Type)
			}
		}
	}
	each("", reflect.TypeFor[dap.Launch]())
}

// TestUnknownSettings launches and attaches with settings that do not exist: the console names
// them, with the ones that are near.
func TestUnknownSettings(t *testing.T) {
	dir := t.TempDir()
	prog := filepath.Join(dir, "p.wat")
	if err := os.WriteFile(prog, []byte(`(module (tag $cancel) (func (export "main")))`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		key, want string
		value     any
	}{
		{"stopOnentry", `launch configuration: unknown setting "stopOnentry"; did you mean "stopOnEntry"?`, true},
		{"STOPONENTRY", `launch configuration: unknown setting "STOPONENTRY"; did you mean "stopOnEntry"?`, true},
		{"mode", `launch configuration: unknown setting "mode"`, "bogus"},
		{"column", `launch configuration: unknown setting "column"`, -4},
		{"fuel", `launch configuration: unknown setting "fuel"; did you mean "limits.fuel"?`, 3},
		{"limits", `launch configuration: unknown setting "limits.maxstacks"; did you mean "limits.maxStacks"?`, map[string]any{"maxstacks": 1}},
		{"cancelTag", `launch configuration: "cancelTag" is "$cancle"; no module has that tag; did you mean "$cancel"?`, "$cancle"},
		{"cancelTag", "", "$cancel"},
		{"__sessionId", "", "1"},
		{"presentation", "", map[string]any{}},
		{"env", "", nil},
	} {
		c := connect(t, dap.Config{Load: launch.Load})
		c.initialize()
		c.must(
			"launch",
			map[string]any{"program": prog, x.key: x.value, "type": "wasm", "request": "launch", "name": "n"},
			nil,
		)
		c.must("configurationDone", nil, nil)
		got, stopped := c.console()
		if got, _ := strings.CutSuffix(strings.TrimSuffix(got, "main returned"), "\n"); got != x.want || stopped {
			t.Errorf("%s: %q, want %q; stopped: %v", x.key, got, x.want, stopped)
		}
	}
	for name, conf := range map[string]map[string]any{
		`"stdin" and "stdinFile"`:        {"program": prog, "stdin": "a", "stdinFile": "b"},
		`"line" is -4`:                   {"program": prog, "line": -4},
		`"line" applies to scripts only`: {"program": prog, "line": 1},
		`"cwd" is`:                       {"program": prog, "cwd": filepath.Join(dir, "none")},
		`did you mean "program"?`:        {"programm": prog},
		`"limits.fuel" is "many"`:        {"program": prog, "limits": map[string]any{"fuel": "many"}},
		`not "A"`:                        {"program": prog, "env": []string{"A"}},
		`want off, switches or full`:     {"program": prog, "history": "bogus"},
	} {
		c := connect(t, dap.Config{Load: launch.Load})
		c.initialize()
		if got := c.refused("launch", conf); !strings.Contains(got, name) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// console collects what the console says until the program ends.
func (c *client) console() (text string, stopped bool) {
	c.t.Helper()
	for {
		m := <-c.events
		switch m.Event {
		case "output":
			var b godap.OutputEventBody
			if err := json.Unmarshal(m.Body, &b); err != nil {
				c.t.Fatal(err)
			}
			text += b.Output
		case "stopped":
			return text, true
		case "terminated":
			return strings.TrimSuffix(text, "\n"), false
		}
	}
}

// TestWrongBreakpoints sets breakpoints in modes and on lines that do not exist.
func TestWrongBreakpoints(t *testing.T) {
	c := real(t)
	p := example(t, "generator.wat")
	c.start(map[string]any{"program": p, "stopOnEntry": true})
	var out godap.SetBreakpointsResponseBody
	set := func(source string, bs ...map[string]any) []godap.Breakpoint {
		c.wrong.Store(true)
		defer c.wrong.Store(false)
		c.must("setBreakpoints", map[string]any{"source": map[string]any{"path": source}, "breakpoints": bs}, &out)
		return out.Breakpoints
	}
	for i, b := range set(p, map[string]any{"line": 20, "mode": "bogus"}, map[string]any{"line": -4}, map[string]any{"line": 20, "column": -1}) {
		if want := []string{
			`there is no breakpoint mode "bogus"`, "there is no line -4", "there is no column -1",
		}[i]; b.Verified ||
			!strings.Contains(b.Message, want) {
			t.Errorf("%+v, want %s", b, want)
		}
	}
	if got := c.refused("dataBreakpointInfo", map[string]any{"name": "$x", "mode": "bogus"}); !strings.Contains(
		got, `"bogus"`,
	) {
		t.Error(got)
	}
	for _, command := range []string{"breakpointLocations", "gotoTargets"} {
		c.wrong.Store(true)
		_ = c.Request(command, map[string]any{"source": map[string]any{"path": p}, "line": -4}, nil)
		_ = c.Request(command, map[string]any{"source": map[string]any{"path": p}, "line": 1 << 40}, nil)
		c.wrong.Store(false)
	}
	c.frames(1) // it still answers
}

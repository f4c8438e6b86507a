package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema validates single messages.
type Schema struct {
	requests, responses, events map[string]*jsonschema.Schema
	refusal                     *jsonschema.Schema
}

// FindSchema returns the path of the protocol's own JSON schema: the Go module go-dap carries it,
// at the version that the module in the working directory requires. It asks the go command.
func FindSchema() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/go-dap").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		return "", fmt.Errorf(
			"the module github.com/google/go-dap, which carries the schema of the protocol, is not found: %v",
			err,
		)
	}
	return filepath.Join(dir, "cmd", "gentypes", "debugProtocol.json"), nil
}

// LoadSchema reads the protocol's JSON schema and adds what it lacks of DAP 1.71. If closed is set,
// a field that the protocol does not have is an error too, where the protocol does not invite
// fields of one's own (launch and attach configurations, modules): right for an adapter that has no
// reason to send any, and the way to find misspelt ones.
func LoadSchema(path string, closed bool) (*Schema, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct{ Definitions map[string]any }
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	b := &builder{from: file.Definitions, defs: definitions(), more: additions(), closed: closed}
	requests, responses, events, err := b.build()
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	return b.compile(requests, responses, events)
}

// builder turns the protocol's schema, whose definitions inherit by allOf, into one schema for each
// kind of message, in which every object lists all of its fields.
type builder struct {
	from   map[string]any            // definitions as they are in the file
	defs   map[string]any            // definitions as they are compiled
	more   map[string]map[string]any // additions that were not used yet
	closed bool
}

func (b *builder) build() (requests, responses, events []string, err error) {
	for name, d := range b.from {
		p := flat(b.from, d)
		props, _ := p["properties"].(map[string]any)
		first := func(field string) string {
			f, _ := props[field].(map[string]any)
			if e, _ := f["enum"].([]any); len(e) == 1 {
				s, _ := e[0].(string)
				return s
			}
			return ""
		}
		switch {
		case name == "Request" || name == "Response" || name == "Event" || name == "ErrorResponse" || name == "ProtocolMessage":
		case first("command") != "" && strings.HasSuffix(name, "Request"):
			command := first("command")
			requests = append(requests, command)
			b.add(command+".request", envelope("request", "command", command, "arguments", props["arguments"], p["required"]))
			if r, ok := b.from[strings.TrimSuffix(name, "Request")+"Response"]; ok {
				rp := flat(b.from, r)
				body := rp["properties"].(map[string]any)["body"]
				if m, ok := body.(map[string]any); ok && m["properties"] != nil {
					b.add(command+".body", m)
					body = ref(command + ".body")
				}
				responses = append(responses, command)
				e := envelope("response", "command", command, "body", body, rp["required"])
				ep := e["properties"].(map[string]any)
				ep["request_seq"], ep["success"], ep["message"] = typ("integer"), map[string]any{"enum": []any{true}}, typ("string")
				b.add(command+".response", e)
			}
		case first("event") != "":
			event := first("event")
			events = append(events, event)
			body := props["body"]
			if m, ok := body.(map[string]any); ok && m["properties"] != nil {
				b.add(event+".event", m)
				body = ref(event + ".event")
			}
			b.add(event+".message", envelope("event", "event", event, "body", body, p["required"]))
		case strings.HasSuffix(name, "Response") && p["allOf"] == nil && props["request_seq"] != nil:
		default:
			b.add(name, p)
		}
	}
	// The request that is newer than the file.
	if b.from["LocationsRequest"] == nil {
		requests, responses = append(requests, "locations"), append(responses, "locations")
		b.add(
			"locations.request",
			envelope("request", "command", "locations", "arguments", ref("locations.arguments"), []any{"arguments"}),
		)
		e := envelope(
			"response", "command", "locations", "body", ref("locations.body"),
			[]any{"request_seq", "success", "body"},
		)
		ep := e["properties"].(map[string]any)
		ep["request_seq"], ep["success"], ep["message"] = typ("integer"), map[string]any{"enum": []any{true}}, typ("string")
		b.add("locations.response", e)
	}
	b.add("refusal", map[string]any{
		"type": "object",
		"properties": map[string]any{
			"seq": typ(
				"integer",
			), "type": map[string]any{"enum": []any{"response"}}, "request_seq": typ("integer"), "command": typ("string"),
			"success": map[string]any{"enum": []any{false}}, "message": typ("string"),
			"body": map[string]any{"type": "object", "properties": map[string]any{"error": ref("Message")}},
		},
		"required": []any{"seq", "type", "request_seq", "success", "command"},
	})
	for name := range b.more {
		return nil, nil, nil, fmt.Errorf("the schema has no definition for %s", name)
	}
	return requests, responses, events, nil
}

// envelope is a message of one kind.
func envelope(kind, field, name, part string, schema, required any) map[string]any {
	if schema == nil {
		schema = map[string]any{}
	}
	need := []any{"seq", "type"}
	r, _ := required.([]any)
	for _, x := range append(r, field) {
		if x != "type" && x != "seq" {
			need = append(need, x)
		}
	}
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"seq": typ(
				"integer",
			), "type": map[string]any{"enum": []any{kind}}, field: map[string]any{"enum": []any{name}}, part: schema,
		},
		"required": unique(need),
	}
}

// flat merges what a definition inherits into one object.
func flat(defs map[string]any, d any) map[string]any {
	m, _ := d.(map[string]any)
	if r, ok := m["$ref"].(string); ok {
		return flat(defs, defs[strings.TrimPrefix(r, "#/definitions/")])
	}
	parts, ok := m["allOf"].([]any)
	if !ok {
		return m
	}
	props, required := map[string]any{}, []any{}
	for _, p := range parts {
		f := flat(defs, p)
		own, _ := f["properties"].(map[string]any)
		for k, v := range own {
			props[k] = v
		}
		need, _ := f["required"].([]any)
		required = append(required, need...)
	}
	out := map[string]any{"type": "object", "properties": props}
	if required = unique(required); len(required) > 0 {
		out["required"] = required
	}
	return out
}

func unique(in []any) []any {
	seen := map[any]bool{}
	var out []any
	for _, x := range in {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// add defines a type, with its additions.
func (b *builder) add(name string, d map[string]any) {
	if more := b.more[name]; more != nil {
		delete(b.more, name)
		props, _ := d["properties"].(map[string]any)
		all := map[string]any{}
		for k, v := range props {
			all[k] = v
		}
		for k, v := range more {
			all[k] = v
		}
		c := map[string]any{}
		for k, v := range d {
			c[k] = v
		}
		c["properties"] = all
		d = c
	}
	b.defs[name] = d
}

// closedCopy returns a schema whose objects have no fields but those they list; top is the name of
// the definition, if it is one.
func (b *builder) closedCopy(x any, top string) any {
	switch x := x.(type) {
	case []any:
		out := make([]any, len(x))
		for i, v := range x {
			out[i] = b.closedCopy(v, "")
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, v := range x {
			switch {
			case k == "oneOf":
				// The alternatives of `restart` both take any object: one of them at least.
				out["anyOf"] = b.closedCopy(v, "")
			case k == "properties":
				props := map[string]any{}
				for n, p := range v.(map[string]any) {
					props[n] = b.closedCopy(p, "")
				}
				out[k] = props
			default:
				out[k] = b.closedCopy(v, "")
			}
		}
		_, isProps := x["properties"].(map[string]any)
		_, says := x["additionalProperties"]
		if b.closed && isProps && !says && !open(top) {
			out["additionalProperties"] = false
		}
		return out
	}
	return x
}

func (b *builder) compile(requests, responses, events []string) (*Schema, error) {
	defs := map[string]any{}
	for name, d := range b.defs {
		defs[name] = b.closedCopy(d, name)
	}
	const url = "dap.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	if err := c.AddResource(url, map[string]any{"definitions": defs}); err != nil {
		return nil, err
	}
	s := &Schema{
		requests: map[string]*jsonschema.Schema{}, responses: map[string]*jsonschema.Schema{},
		events: map[string]*jsonschema.Schema{},
	}
	get := func(in map[string]*jsonschema.Schema, names []string, part string) error {
		for _, n := range names {
			k, err := c.Compile(url + "#/definitions/" + n + part)
			if err != nil {
				return err
			}
			in[n] = k
		}
		return nil
	}
	for _, x := range []struct {
		in    map[string]*jsonschema.Schema
		names []string
		part  string
	}{{s.requests, requests, ".request"}, {s.responses, responses, ".response"}, {s.events, events, ".message"}} {
		if err := get(x.in, x.names, x.part); err != nil {
			return nil, err
		}
	}
	var err error
	s.refusal, err = c.Compile(url + "#/definitions/refusal")
	return s, err
}

// Commands returns how many requests and events the protocol has.
func (s *Schema) Commands() (requests, events int) { return len(s.requests), len(s.events) }

// Request reports if the protocol has a request of that name.
func (s *Schema) Request(command string) bool { return s.requests[command] != nil }

// Validate checks a message. Requests and events that the protocol does not have are not checked:
// adapters may have their own.
func (s *Schema) Validate(raw []byte) error {
	var m Message
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	var k *jsonschema.Schema
	switch m.Type {
	case "request":
		k = s.requests[m.Command]
	case "event":
		k = s.events[m.Event]
	case "response":
		if k = s.responses[m.Command]; !m.Success {
			k = s.refusal
		}
	}
	if k == nil {
		return nil
	}
	x, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	err = k.Validate(x)
	if ve, ok := err.(*jsonschema.ValidationError); ok {
		return fmt.Errorf("%s", leaf(ve))
	}
	return err
}

// leaf returns the innermost reasons in one line.
func leaf(e *jsonschema.ValidationError) string {
	if len(e.Causes) == 0 {
		lines := strings.Split(strings.TrimSpace(e.Error()), "\n")
		return strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- ")
	}
	var out []string
	for _, c := range e.Causes {
		out = append(out, leaf(c))
	}
	return strings.Join(out, "; ")
}

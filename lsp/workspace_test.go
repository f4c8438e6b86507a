package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/lsp/internal/workspace"
)

// folder is a workspace folder on disk.
type folder struct {
	t    *testing.T
	root string
}

func newFolder(t *testing.T) folder {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return folder{t, root}
}

func (f folder) write(name, text string) uri.URI {
	f.t.Helper()
	p := filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
	return uri.File(p)
}

// report is the answer to workspace/diagnostic, in short: by file "unchanged", or the messages.
func (f folder) report(c *testClient, ids map[uri.URI]string) map[string]string {
	f.t.Helper()
	p := &protocol.WorkspaceDiagnosticParams{PreviousResultIds: []protocol.PreviousResultId{}}
	p.WorkDoneToken = protocol.String("t")
	for u, id := range ids {
		p.PreviousResultIds = append(p.PreviousResultIds, protocol.PreviousResultId{URI: u, Value: id})
	}
	r, err := c.DiagnosticWorkspace(context.Background(), p)
	if err != nil {
		f.t.Fatal(err)
	}
	out := map[string]string{}
	name := func(u uri.URI) string {
		rel, err := filepath.Rel(f.root, workspace.FileName(u))
		if err != nil {
			f.t.Fatal(err)
		}
		return filepath.ToSlash(rel)
	}
	for _, it := range r.Items {
		switch it := it.(type) {
		case *protocol.WorkspaceFullDocumentDiagnosticReport:
			var ms []string
			for _, d := range it.Items {
				ms = append(ms, string(d.Message.(protocol.String)))
			}
			out[name(it.URI)] = strings.Join(ms, "; ")
			if it.ResultID != nil {
				ids[it.URI] = *it.ResultID
			}
		case *protocol.WorkspaceUnchangedDocumentDiagnosticReport:
			out[name(it.URI)] = "unchanged"
			ids[it.URI] = it.ResultID
		}
	}
	return out
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for k, w := range want {
		if g, ok := got[k]; !ok || w == "" && g != "" || w != "" && !strings.HasPrefix(g, w) {
			t.Errorf("%s: %s: got %q (%v), want %q", what, k, g, ok, w)
		}
	}
	for k, g := range got {
		if _, ok := want[k]; !ok {
			t.Errorf("%s: also %s: %q", what, k, g)
		}
	}
}

// Diagnostics of a workspace follow files on disk and edits, across files and folders.
func TestWorkspaceDiagnostics(t *testing.T) {
	f, g := newFolder(t), newFolder(t)
	main := f.write(
		"main.wat",
		`(module (import "env" "log" (func $log (param i32))) (import "./b/more.wasm" "f" (func $f)) (func (export "run") (call $f) (call $log (i32.const 1))))`,
	)
	f.write("env.wat", `(module (func (export "log") (param i64)))`)
	f.write("b/more.wat", `(module (func (export "f")))`)
	f.write("bad.wat", `(module (func (result i32)))`)
	f.write(".hidden/no.wat", `(module (`)
	f.write("node_modules/no.wat", `(module (`)
	f.write("notes.txt", `(module (`)
	c := newClient(
		t,
		clientOptions{encoding: "utf-8", pull: true, folders: []string{f.root, g.root}, watch: true, patience: -1},
	)
	c.waitFor("the registration", func() bool {
		return slices.Contains(c.registered, protocol.MethodWorkspaceDidChangeWatchedFiles)
	})
	ids := map[uri.URI]string{}
	same(
		t,
		"first",
		f.report(c, ids),
		map[string]string{
			"main.wat": "incompatible import type", "env.wat": "", "b/more.wat": "",
			"bad.wat": "type mismatch",
		},
	)
	c.mu.Lock()
	if len(c.progress) < 2 || !strings.Contains(c.progress[0], `"begin"`) ||
		!strings.Contains(c.progress[len(c.progress)-1], `"end"`) {
		t.Errorf("progress %v", c.progress)
	}
	c.mu.Unlock()
	same(
		t,
		"again",
		f.report(c, ids),
		map[string]string{
			"main.wat":   "unchanged",
			"env.wat":    "unchanged",
			"b/more.wat": "unchanged",
			"bad.wat":    "unchanged",
		},
	)

	// The other file changes on disk; one comes, one goes.
	env := f.write("env.wat", `(module (func (export "log") (param i32)))   `)
	gone := filepath.Join(f.root, "bad.wat")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	f.write("new.wast", `(module (func $_f)) (assert_invalid (module) "x")`)
	changed := func(us ...uri.URI) {
		p := &protocol.DidChangeWatchedFilesParams{}
		for _, u := range us {
			p.Changes = append(p.Changes, protocol.FileEvent{URI: u, Type: protocol.FileChangeTypeChanged})
		}
		if err := c.DidChangeWatchedFiles(context.Background(), p); err != nil {
			t.Fatal(err)
		}
	}
	changed(env)
	c.waitFor("a refresh", func() bool { return c.refreshes > 0 })
	same(
		t,
		"changed on disk",
		f.report(c, ids),
		map[string]string{
			"main.wat": "", "env.wat": "unchanged", "b/more.wat": "unchanged", "bad.wat": "",
			"new.wast": "the module should be rejected",
		},
	)
	delete(ids, uri.File(gone))

	// It is opened and edited: what imports from it is told again.
	c.open(main, string(must(os.ReadFile(workspace.FileName(main)))))
	c.open(env, `(module (func (export "log") (param i32)))`)
	c.mu.Lock()
	before := c.refreshes
	c.mu.Unlock()
	c.edit(env, &protocol.TextDocumentContentChangeWholeDocument{Text: `(module (func (export "lag") (param i32)))`})
	c.waitFor("a refresh after an edit", func() bool { return c.refreshes > before })
	ds := c.pull(main)
	if len(ds) != 1 ||
		!strings.HasPrefix(
			string(ds[0].Message.(protocol.String)),
			`unknown import: "env" exports no "log"; did you mean "lag"?`,
		) {
		t.Fatalf("after an edit: %v", ds)
	}
	if rel := ds[0].RelatedInformation; len(rel) != 1 || rel[0].Location.URI != env {
		t.Errorf("related: %v", rel)
	}
	same(
		t,
		"edited",
		f.report(c, ids),
		map[string]string{
			"main.wat": "unknown import", "env.wat": "unchanged", "b/more.wat": "unchanged",
			"new.wast": "unchanged",
		},
	)

	// Closed again, it is as on disk.
	if err := c.DidClose(context.Background(),
		&protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: env}}); err != nil {
		t.Fatal(err)
	}
	if ds := c.pull(main); len(ds) != 0 {
		t.Errorf("after it was closed: %v", ds)
	}

	// Definition and rename reach files that are not open.
	at := strings.Index(string(must(os.ReadFile(workspace.FileName(main)))), `"log"`) + 2
	pos := protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: main},
		Position:     protocol.Position{Character: uint32(at)},
	}
	def, err := c.Definition(context.Background(), &protocol.DefinitionParams{TextDocumentPositionParams: pos})
	if ls, ok := def.(protocol.LocationSlice); err != nil || !ok || len(ls) != 1 || ls[0].URI != env {
		t.Errorf("definition: %v, %v", def, err)
	}
	e, err := c.Rename(context.Background(), &protocol.RenameParams{TextDocumentPositionParams: pos,
		NewName: "print"})
	if err != nil || len(e.DocumentChanges) != 2 {
		t.Fatalf("rename: %v, %v", e, err)
	}
	for _, dc := range e.DocumentChanges {
		te := dc.(*protocol.TextDocumentEdit)
		if open := te.TextDocument.URI == main; open != (te.TextDocument.Version != nil) || len(te.Edits) != 1 {
			t.Errorf("edit of %s: version %v, %d edits", te.TextDocument.URI, te.TextDocument.Version, len(te.Edits))
		}
	}
	c.close()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A client that gets diagnostics pushed sees another file's change too.
func TestPushAcrossFiles(t *testing.T) {
	f := newFolder(t)
	main := f.write("main.wat", "")
	env := f.write("env.wat", "")
	c := newClient(t, clientOptions{encoding: "utf-8", folders: []string{f.root}})
	c.open(env, `(module (func (export "log")))`)
	c.open(main, `(module (import "env" "log" (func)))`)
	if p := c.waitPush(main); len(p.Diagnostics) != 0 {
		t.Fatalf("%v", p.Diagnostics)
	}
	c.edit(
		env,
		&protocol.TextDocumentContentChangeWholeDocument{
			Text: `(module (func (export "log") (result i32) (i32.const 1)))`,
		},
	)
	c.waitFor("an error in the importing file", func() bool { return len(c.pushed[main].Diagnostics) == 1 })
	c.edit(env, &protocol.TextDocumentContentChangeWholeDocument{Text: `(module (func (export "log")))`})
	c.waitFor("its end", func() bool { return len(c.pushed[main].Diagnostics) == 0 })
	c.close()
}

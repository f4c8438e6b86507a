package dap_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// TestModuleColumns reads the additional columns.
func TestModuleColumns(t *testing.T) {
	c := connect(t, dap.Config{})
	c.start(prog, 8)
	var b struct {
		Modules []struct {
			Dialect         string
			Functions, Tags int
		}
	}
	c.must("modules", map[string]any{}, &b)
	if m := b.Modules; len(m) != 1 || m[0].Dialect != "cont" || m[0].Functions != 3 || m[0].Tags != 1 {
		t.Errorf("%+v", m)
	}
}

// TestChecksums compares the texts of sources with what the client has.
func TestChecksums(t *testing.T) {
	p := wat(t, data)
	c := connect(t, dap.Config{Load: launch.Load})
	c.start(map[string]any{"program": p, "invoke": "main"}, 17)
	var b godap.LoadedSourcesResponseBody
	c.must("loadedSources", nil, &b)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(data)))
	if s := b.Sources; len(s) != 1 || len(s[0].Checksums) != 1 || s[0].Checksums[0].Algorithm != "SHA256" ||
		s[0].Checksums[0].Checksum != sum {
		t.Errorf("%+v", b)
	}
	for have, want := range map[string]string{sum: "", strings.Repeat("0", 64): "the file has changed since the program was loaded: restart to run the new version"} {
		var r godap.SetBreakpointsResponseBody
		c.must(
			"setBreakpoints",
			godap.SetBreakpointsArguments{
				Source:      godap.Source{Path: p, Checksums: []godap.Checksum{{Algorithm: "SHA256", Checksum: have}}},
				Breakpoints: []godap.SourceBreakpoint{{Line: 18}},
			},
			&r,
		)
		if r.Breakpoints[0].Message != want {
			t.Errorf("%+v", r.Breakpoints[0])
		}
	}
	// A restart runs the file as it is now, and says so.
	if err := os.WriteFile(p, []byte(strings.Replace(data, "(nop)", "(nop) (nop)", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	c.must("restart", map[string]any{}, nil)
	var ev godap.LoadedSourceEventBody
	c.await("loadedSource", &ev)
	if ev.Reason != "changed" || ev.Source.Path != p || ev.Source.Checksums[0].Checksum == sum {
		t.Errorf("%+v", ev)
	}
}

// TestLoadedWhileRunning reports modules that a script makes as it runs.
func TestLoadedWhileRunning(t *testing.T) {
	c := real(t)
	c.initialize()
	c.must("launch", map[string]any{"program": example(t, "generator.wast")}, nil)
	c.await("initialized", nil)
	c.must("configurationDone", nil, nil)
	var m struct {
		Reason string
		Module struct {
			Name, Path, Dialect string
		}
	}
	c.await("module", &m)
	if m.Reason != "new" || m.Module.Dialect != "cont" || !strings.HasSuffix(m.Module.Path, "generator.wat") {
		t.Errorf("%+v", m)
	}
	var s godap.LoadedSourceEventBody
	c.await("loadedSource", &s)
	if s.Reason != "new" || s.Source.Name != "generator.wat" || len(s.Source.Checksums) != 1 {
		t.Errorf("%+v", s)
	}
}

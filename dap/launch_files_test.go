//go:build unix

package dap_test

import (
	"os"
	"path/filepath"
	"stackscope/dap"
	"stackscope/internal/launch"
	"strings"
	"syscall"
	"testing"
)

// TestLaunchRefusesDevices refuses devices, FIFOs and folders wherever a launch configuration names
// a file.
func TestLaunchRefusesDevices(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.wat")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Skip(err)
	}
	good := wat(t, `(module (func (export "main")))`)
	for _, bad := range []string{"/dev/zero", os.DevNull, fifo, dir} {
		for _, l := range []map[string]any{
			{"program": bad}, {"program": good, "imports": []string{"m=" + bad}}, {"program": good, "stdinFile": bad},
		} {
			c := connect(t, dap.Config{Load: launch.Load})
			c.initialize()
			err := c.Request("launch", l, nil)
			if err == nil ||
				!strings.Contains(err.Error(), "is not a regular file") && !strings.Contains(err.Error(), "is a directory") {
				t.Errorf("%v: %v", l, err)
			}
			c.must("disconnect", nil, nil)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What is committed is what the generator writes.
func TestUpToDate(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "vm", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("vm/%s is not what the generator writes: run `go generate ./vm` (%v)", name, err)
		}
	}
}

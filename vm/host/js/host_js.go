package js

import (
	"context"
	"errors"

	"stackscope/vm"
	"stackscope/vm/host"
	"stackscope/wasm"
)

// Host is JavaScript for one machine. On this platform there is no engine.
type Host struct{}

// Error is an exception of JavaScript that nothing has caught.
type Error struct {
	Text string
	Err  error
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// New returns an error: on this platform there is no engine.
func New(*vm.Machine, *host.Loop, Options) (*Host, error) {
	return nil, errors.New("there is no JavaScript engine for this platform")
}

// Close does nothing.
func (h *Host) Close() {}

// Describe reports that an error is no exception of JavaScript.
func (h *Host) Describe(error) (text string, ok bool) { return "", false }

// Tag returns nil.
func (h *Host) Tag() *vm.Tag { return nil }

// Run returns an error: on this platform there is no engine.
func (h *Host) Run(
	context.Context, *wasm.Module, vm.Imports, func(vm.Imports) (*vm.Instance, error),
) (*vm.Instance, error) {
	return nil, errors.New("there is no JavaScript engine for this platform")
}

// Failure returns nil.
func (h *Host) Failure() error { return nil }

// Called reports that no export was called.
func (h *Host) Called(string) bool { return false }

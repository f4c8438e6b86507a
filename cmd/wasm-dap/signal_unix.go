//go:build unix

package main

import (
	"os"
	"syscall"
)

// treeSignals ask a running program for its tree of stacks.
var treeSignals = []os.Signal{syscall.SIGUSR1}

//go:build !unix

package main

import "os"

// treeSignals would ask a running program for its tree of stacks; this system has none to spare.
var treeSignals []os.Signal

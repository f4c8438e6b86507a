// Package difftest compares the virtual machine with another engine on random valid modules.
//
// Generate makes modules from the instruction table: every instruction of fixed type that the other
// engine has takes part. GenerateStacks makes modules that switch stacks. All of them terminate:
// loops count down, calls go to later functions only. The module itself makes results canonical
// that the specification leaves open (which NaN).
package difftest

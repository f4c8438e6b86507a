// Package launch makes programs for the debugger from launch configurations. Load reads the modules
// or the script that a configuration names, with its imports and arguments. The commands inject it
// into package dap, which therefore imports no analysis.
package launch

// Package wast runs scripts of the specification's test format: `.wast` files with modules, and
// commands that call them and assert results.
//
// Parse reads the commands of a script. New returns a Runner for one; Runner.Run runs all commands
// and reports a Result for each, RunLines only those on some lines.
package wast

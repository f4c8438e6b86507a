// Package cli is what the two commands share: flags, help, exit codes, diagnostics, colour and
// logs.
//
// A program is an App with Commands. Each command has a table of flags, of which help and the
// reference are printed, and a function that runs it in an Env. docs/reference/commands.md has the
// rules.
package cli

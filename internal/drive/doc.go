// Package drive runs programs on an event loop: calls of several exports, at times, with promises
// that the host settles, as a drive script says (docs/reference/drive.md). Without a script it
// calls the entry of the program and then runs the loop until nothing is pending.
//
// Load reads a program and its script; Program.Run runs it, and Program.Debug prepares it for the
// debugger.
package drive

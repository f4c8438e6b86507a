// Package termdbg is the terminal debugger: a client of the debug adapter that runs in process.
//
// Run is all that the command uses. It composes a debugger of parts, each with a duty of its own:
//
//   - client: the connection to the adapter, its requests and events;
//   - target: the program as the adapter shows it, with the selected thread and frame;
//   - control: starting, joining, waiting, and showing each stop;
//   - runner, breakTable and breakCommands, stackView, dataView, memoryView, lister, codeView, info:
//     the commands of one subject;
//   - completion and shell: command lines, command files, help.
//
// Everything the user can type is a row of a table. Each part has rows of its own: name, aliases,
// arguments, help, what completes it, and the function to run. Help, completion, and the table in
// docs/reference/debugger.md come from them.
//
// One goroutine executes the commands and talks to the adapter. A second one reads the terminal, so
// that events are shown while a line is edited.
package termdbg

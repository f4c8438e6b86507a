// Package entry determines which exported function a program runs, and parses the arguments for it.
// The language server, the runner and the debugger share these rules: Default chooses the function,
// Split separates typed arguments, Check parses them for the function's parameters.
package entry

// Package testprog builds small programs for tests that must not depend on the parser of the text
// format: modules as data, with a text that has one instruction on each line.
package testprog

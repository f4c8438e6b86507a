// Package js is a host for modules whose compilers emit JavaScript: JS String Builtins, string
// constants, and the glue itself, run by an embedded engine.
package js

// Package diag has the diagnostics: a Diagnostic is what is reported at a place of a text, with its
// severity, related places and fixes; Table has the row of each Code, with documentation and with a
// wrong and a right example that a test runs.
//
// Codes are contracts: rows are added, never renamed. Lookup returns a row; Page returns the page
// docs/reference/diagnostics.md.
package diag

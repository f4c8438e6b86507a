// Package coverage tests that the five designs are covered: each instruction stands in an example
// that runs it, and each construct works in each layer of the tools. It writes
// docs/reference/coverage.md, the table of constructs and layers; each cell is a subtest.
package coverage

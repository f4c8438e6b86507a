// Package suite finds the test data of tests: the official suites, which are not part of the
// product, and this repository's examples and scripts.
//
// Dir, Seeds and Files skip the test if the suites are missing, and fail under CI=true. Own returns
// files below testdata, Text reads one.
package suite

// Package suite finds the official test suites for tests. They are data and not part of the
// product. Dir and Files skip the test if the suites are missing, and fail under CI=true.
package suite

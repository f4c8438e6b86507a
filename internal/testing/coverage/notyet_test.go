package coverage_test

// notYet has the cells that are known not to hold. One that does is to be removed.
var notYet = map[string]bool{}

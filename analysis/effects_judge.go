package analysis

// verdict is what the analysis of effects found wrong.
type verdict struct{}

// judge finds what is wrong with the effects of a module.
func (m *Module) judge(f *facts) {}

// placeVerdicts gives the verdicts with their places.
func (m *Module) placeVerdicts(f *facts) []finding { return nil }

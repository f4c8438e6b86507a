package analysis

// DeclKey gives a value that is equal for modules of successive snapshots only if their
// declarations are the same, so that what was derived from an unchanged unit is still right.
func (m *Module) DeclKey() any { return m.decls() }

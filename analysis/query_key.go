package analysis

import (
	"weak"
)

// DeclKey returns a value that is equal for modules of successive snapshots only if their
// declarations are the same, so that what was derived from an unchanged unit is still right. It
// does not keep the declarations alive.
func (m *Module) DeclKey() any { return weak.Make(m.decls()) }

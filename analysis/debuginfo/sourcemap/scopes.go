package sourcemap

import "stackscope/analysis/debuginfo"

// definition is what `scopes` tell of a function.
type definition struct{}

func (d *definition) apply(*Reader, *debuginfo.Func) {}

func (r *Reader) readScopes() {}

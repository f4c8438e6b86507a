package valid

// Declarations reports the violations in everything but function bodies: types, imports, limits,
// tables, memories, globals, tags, segments, exports, the start function.
func (e *Env) Declarations(report func(Error)) {
}

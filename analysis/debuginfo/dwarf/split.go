package dwarf

// openPackage opens the package of split units, if there is one.
func (r *Reader) openPackage() {}

// whole returns the split unit of a skeleton; nil: it is none, or its unit is not there.
func (u *unit) whole() *unit { return u.full }

// signature returns the type of a type unit.
func (r *Reader) signature(sig uint64, s *space) (ref, bool) {
	r.sigsOnce.Do(func() {
		r.sigs = map[uint64]ref{}
		for _, s := range r.spaces {
			for _, u := range s.units {
				if u.kind == utType || u.kind == utSplitType {
					if _, ok := r.sigs[u.sig]; !ok && u.typ >= u.die {
						r.sigs[u.sig] = u.ref(u.typ)
					}
				}
			}
		}
	})
	x, ok := r.sigs[sig]
	return x, ok
}

package vm

// Release ends a stack that is new or suspended, with all that hangs below it: references to it are
// consumed, or moribund, from here on. It reports whether it could; a stack of the running chain,
// one inside a suspended segment, and the stack of a call of the host cannot. The machine must
// stand still.
func (d *Debugging) Release(s *Stack) bool {
	head := s.state == StackNew || s.state == StackSuspended || s.state == StackWaiting && s.leaf != nil
	if !head || s.rooted || s.parent != nil {
		return false
	}
	if d.m.watched {
		d.m.emit(Event{Kind: EventRelease, Stack: s.id, Base: s.BaseFunc(), Site: Site{PC: -1}, Dialect: s.dialect})
		d.m.recordUse(s)
	}
	for t := s.Leaf(); t != nil; {
		p := t.parent
		d.m.retire(t)
		t = p
	}
	return true
}

// Reference returns a reference to the stack that is good now.
func (s *Stack) Reference() Ref { return Ref{&s.object, s.generation} }

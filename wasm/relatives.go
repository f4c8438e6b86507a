package wasm

import "strings"

// instead reports what a design without an effect does in its place.
var instead = map[Effect][]Effect{
	EffectResume:  {EffectResume, EffectSwitch},
	EffectSuspend: {EffectSuspend, EffectSwitch},
	EffectSwitch:  {EffectSwitch},
	EffectRetire:  {EffectRetire},
	EffectNew:     {EffectNew},
	EffectBind:    {EffectBind},
	EffectRelease: {EffectRelease},
}

// Relatives returns, for an instruction that creates, binds, resumes, suspends, switches, retires
// or releases stacks, what does the same or comes nearest in each other design: with the same way
// for control to go on, if the design has that. A design without any is not in the map; neither is a
// design for an instruction of Wasm 3.0.
func (op Op) Relatives() map[Dialect][]Op {
	in := op.Info()
	ways := instead[in.Effect]
	if in.Dialect == DialectNone || ways == nil {
		return nil
	}
	out := map[Dialect][]Op{}
	for _, d := range Dialects() {
		if d == in.Dialect {
			continue
		}
		for _, e := range ways {
			out[d] = append(out[d], in.kin(d, e, in.Then)...)
			if out[d] == nil && in.Then != EffectNone {
				out[d] = append(out[d], in.kin(d, e, EffectNone)...)
			}
			if out[d] == nil && e == EffectRetire {
				out[d] = append(out[d], in.kin(d, e, EffectSuspend)...)
				out[d] = append(out[d], in.kin(d, e, EffectSwitch)...)
			}
			if out[d] != nil {
				break
			}
			delete(out, d)
		}
	}
	return out
}

// kin returns the instructions of a design that have an effect, and go on in a way: those that throw,
// or leave their function, as the instruction does; without such those that do neither.
func (in *OpInfo) kin(d Dialect, e, then Effect) (out []Op) {
	for _, like := range []*OpInfo{in, {}} {
		for o := Op(1); o < NumOps; o++ {
			i := o.Info()
			if i.Dialect == d && i.Effect == e && i.Then == then && i.Throws == like.Throws && i.Leaves == like.Leaves {
				out = append(out, o)
			}
		}
		if out != nil {
			break
		}
	}
	return out
}

// Elsewhere reports in one line of Markdown what an instruction would be in the other designs; ""
// if that is nothing to tell.
func (op Op) Elsewhere() string {
	rel := op.Relatives()
	var parts []string
	for _, d := range Dialects() {
		if len(rel[d]) == 0 {
			continue
		}
		var names []string
		for _, o := range rel[d] {
			names = append(names, "`"+o.String()+"`")
		}
		parts = append(parts, d.String()+" "+strings.Join(names, ", "))
	}
	if parts == nil {
		return ""
	}
	return "Elsewhere: " + strings.Join(parts, " · ")
}

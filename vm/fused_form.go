package vm

import (
	"fmt"
	"strings"
)

// FusedOp is an op of the fused form of a function, for people.
type FusedOp struct {
	PC   int    // the instruction that it comes from
	Text string // `I32Add l0 ← l0 n3`: l is a local, n a number slot, r a reference slot
}

// FusedForm returns the fused form of a function in order, nil if it has none. Ops of the
// baseline form among them are written by their instruction.
func (f *Func) FusedForm() []FusedOp {
	c := f.code
	if c == nil || f.thunk != nil || len(c.fused) == 0 {
		return nil
	}
	out := make([]FusedOp, len(c.fused))
	for i := range c.fused {
		out[i] = FusedOp{int(c.fusedPC[i]), c.fusedText(i)}
	}
	return out
}

// fusedText writes a fused op.
func (c *code) fusedText(i int) string {
	o := &c.fused[i]
	if int(o.code) >= len(fusedOps) || fusedOps[o.code].name == "" {
		return "?"
	}
	d := fusedOps[o.code]
	num := func(s uint16) string {
		for k, l := range c.locals {
			if classOf(l.typ) != reference && l.slot == s {
				return fmt.Sprintf("l%d", k)
			}
		}
		return fmt.Sprintf("n%d", s)
	}
	ref := func(s uint16) string {
		for k, l := range c.locals {
			if classOf(l.typ) == reference && l.slot == s {
				return fmt.Sprintf("l%d", k)
			}
		}
		return fmt.Sprintf("r%d", s)
	}
	var args []string
	for _, x := range []struct {
		role role
		slot uint16
		name func(uint16) string
	}{
		{roleAN, o.a, num}, {roleAR, o.a, ref}, {roleBN, o.b, num}, {roleBR, o.b, ref}, {roleCN, o.c, num}, {roleCR, o.c, ref},
		{roleDN, uint16(o.imm), num}, {roleEN, uint16(o.imm >> 16), num}, {roleGN, uint16(o.imm >> 32), num},
	} {
		if d.roles&x.role == 0 {
			continue
		}
		args = append(args, x.name(x.slot))
		if x.role&(roleAN|roleAR) != 0 && d.roles&roleDst != 0 {
			args = append(args, "←")
		}
	}
	switch {
	case d.roles&roleJump != 0:
		args = append(args, fmt.Sprintf("→ %d", i+int(int32(uint32(o.imm)))/opSize))
		if hi := o.imm >> 32; hi != 0 {
			args = append(args, fmt.Sprintf("%d", int32(hi)))
		}
	case d.roles&(roleMoves|roleTable) != 0:
		args = append(args, fmt.Sprintf("#%d", o.imm))
	case d.roles&(roleDN|roleEN|roleGN) == 0 && o.imm != 0:
		args = append(args, fmt.Sprintf("%#x", o.imm))
	}
	return strings.TrimSpace(d.name + " " + strings.Join(args, " "))
}

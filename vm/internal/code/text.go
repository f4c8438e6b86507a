package code

import (
	"fmt"
	"stackscope/vm/internal/fused"
	"strings"
)

// FusedText writes a fused op.
func (c *Func) FusedText(i int) string {
	o := &c.Fused[i]
	if int(o.Code) >= len(fused.Ops) || fused.Ops[o.Code].Name == "" {
		return "?"
	}
	d := fused.Ops[o.Code]
	num := func(s uint16) string {
		for k, l := range c.Locals {
			if ClassOf(l.Type) != Reference && l.Slot == s {
				return fmt.Sprintf("l%d", k)
			}
		}
		return fmt.Sprintf("n%d", s)
	}
	ref := func(s uint16) string {
		for k, l := range c.Locals {
			if ClassOf(l.Type) == Reference && l.Slot == s {
				return fmt.Sprintf("l%d", k)
			}
		}
		return fmt.Sprintf("r%d", s)
	}
	var args []string
	for _, x := range []struct {
		role fused.Role
		slot uint16
		name func(uint16) string
	}{
		{fused.RoleAN, o.A, num}, {fused.RoleAR, o.A, ref}, {fused.RoleBN, o.B, num}, {fused.RoleBR, o.B, ref},
		{fused.RoleCN, o.C, num}, {fused.RoleCR, o.C, ref},
		{fused.RoleDN, uint16(o.Imm), num}, {fused.RoleEN, uint16(o.Imm >> 16), num}, {fused.RoleGN,
			uint16(o.Imm >> 32), num},
	} {
		if d.Roles&x.role == 0 {
			continue
		}
		args = append(args, x.name(x.slot))
		if x.role&(fused.RoleAN|fused.RoleAR) != 0 && d.Roles&fused.RoleDst != 0 {
			args = append(args, "←")
		}
	}
	switch {
	case d.Roles&fused.RoleJump != 0:
		args = append(args, fmt.Sprintf("→ %d", i+int(int32(uint32(o.Imm)))/OpSize))
		if hi := o.Imm >> 32; hi != 0 {
			args = append(args, fmt.Sprintf("%d", int32(hi)))
		}
	case d.Roles&(fused.RoleMoves|fused.RoleTable) != 0:
		args = append(args, fmt.Sprintf("#%d", o.Imm))
	case d.Roles&(fused.RoleDN|fused.RoleEN|fused.RoleGN) == 0 && o.Imm != 0:
		args = append(args, fmt.Sprintf("%#x", o.Imm))
	}
	return strings.TrimSpace(d.Name + " " + strings.Join(args, " "))
}

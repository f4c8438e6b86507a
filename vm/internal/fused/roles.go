package fused

// Role reports what the fields of an op of the fused form are.
type Role uint16

// The roles.
const (
	RoleAN Role = 1 << iota // a is a number slot
	RoleBN
	RoleCN
	RoleDN    // the low 16 bits of imm are a number slot
	RoleEN    // the next 16
	RoleGN    // and the next
	RoleAR    // a is a reference slot
	RoleBR    // b is
	RoleCR    // c is
	RoleJump  // the low half of imm is a distance
	RoleMoves // imm is a branch
	RoleTable // imm is the number of jumps that follow, less one
	RoleDst   // a is written, nothing else is, and a is not read
	RolePure  // and it can neither trap nor be noticed: it may be done later
)

// Op describes a code of the fused form.
type Op struct {
	Name  string
	Roles Role
}

// The ways to address memory in the order of their codes, each with all loads and all stores.
const (
	AddrSlot = iota // a slot
	AddrSum         // the sum of two
	AddrPlus        // a slot and a constant
	AddrShl         // a slot shifted by a constant
	AddrShl2        // a slot and a shifted one
	AddrAt          // a constant

	NumAccess = Load32Sum - Load32
)

// NumLoad is the number of operators with an operand in memory, for each of the two ways to address
// it that they have.
const NumLoad = I32AddLoadShl - I32AddLoad

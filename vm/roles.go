package vm

//go:generate go run ../internal/gen/loop

// role reports what the fields of an op of the fused form are.
type role uint16

// The roles.
const (
	roleAN role = 1 << iota // a is a number slot
	roleBN
	roleCN
	roleDN    // the low 16 bits of imm are a number slot
	roleEN    // the next 16
	roleGN    // and the next
	roleAR    // a is a reference slot
	roleBR    // b is
	roleCR    // c is
	roleJump  // the low half of imm is a distance
	roleMoves // imm is a branch
	roleTable // imm is the number of jumps that follow, less one
	roleDst   // a is written, nothing else is, and a is not read
	rolePure  // and it can neither trap nor be noticed: it may be done later
)

// fusedOp describes a code of the fused form.
type fusedOp struct {
	name  string
	roles role
}

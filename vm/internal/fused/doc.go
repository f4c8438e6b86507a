// Package fused has the codes of ops of the fused form, which the generator internal/gen/loop
// writes from its tables, and what the operands of each are: for the verifier of the checked build,
// for printing, and for joining ops.
package fused

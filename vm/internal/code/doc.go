// Package code is the format of compiled functions: what the compiler makes and the loops of the VM
// execute.
//
// A Func holds a function in up to three forms. Baseline has one Op for each instruction, at the
// same index, so that a program counter is an index into the body; Instrumented is a copy of it
// that stops before each op; Fused does the same on the same slots in fewer ops, whose codes are
// those of the package fused. The rest of a Func is what ops refer to: branches, the clauses of
// instructions that switch stacks (ResumePoint, HandlerClause), the regions of exception handlers.
//
// The fields are exported for the loops, which read them directly: nothing here is a promise to
// other packages.
package code

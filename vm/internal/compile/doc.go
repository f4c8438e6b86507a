// Package compile turns the functions of a valid module into code.
//
// New takes a program whose functions are to be compiled; All compiles them, a large module by
// several goroutines, and Constant a constant expression. The compiler follows the classes of the
// operands, from which their slots follow, and writes one op for each instruction: the baseline
// form. The fuser then makes the fused form from that, without types. Within a stretch that is
// entered only at its start it defers copies of locals and constants (pending operands), joins ops
// that feed one another, and writes results to their local at once; where execution can enter or
// leave, it flushes all slots.
package compile

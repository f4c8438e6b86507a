// Command loop writes the dispatch loop of the fused form: vm/fused_codes.go, the codes with the
// roles of their operands, and vm/fused_loop.go, the loop with a case for each. Run it with
// `go generate ./vm`. The compiler inlines next to nothing into a function of this size, so what
// would be helpers are macros here.
package main

import "stackscope/internal/gen/genfile"

func main() { genfile.Main(".", generate) }

package annotated

import (
	"fmt"
	"math/rand/v2"

	"stackscope/analysis/debuginfo"
	"stackscope/wasm"
)

// Random makes up debugging information of a module: places in two files, calls that were inlined,
// functions of a runtime, and some of which nothing is known.
func Random(m *wasm.Module, rng *rand.Rand) *debuginfo.Info {
	r := &reader{files: map[string]*debuginfo.File{}, funcs: map[uint32]*debuginfo.Func{}}
	place := func() debuginfo.Place {
		file := File
		if rng.IntN(4) == 0 {
			file = "lib.h"
		}
		p, err := r.place(fmt.Sprintf("%s:%d:%d", file, 1+rng.IntN(40), 1+rng.IntN(9)))
		if err != nil {
			panic(err)
		}
		return p
	}
	for fn := range m.Funcs {
		n := len(m.Funcs[fn].Body)
		if n == 0 || rng.IntN(5) == 0 {
			continue
		}
		d := &debuginfo.Func{Name: fmt.Sprintf("f%d", fn), Decl: place(), Runtime: rng.IntN(6) == 0}
		for pc := 0; pc < n; pc += 1 + rng.IntN(4) {
			row := debuginfo.Row{PC: pc, Stmt: rng.IntN(3) > 0}
			if rng.IntN(12) > 0 {
				row.Place = place()
			}
			d.Rows = append(d.Rows, row)
		}
		if n > 4 && rng.IntN(2) == 0 {
			d.Body = rng.IntN(n / 4)
		}
		d.Root = &debuginfo.Scope{Name: d.Name, Decl: d.Decl, Ranges: []debuginfo.Range{{To: n}}}
		within := d.Root
		for range rng.IntN(4) {
			outer := within.Ranges[0]
			size := outer.To - outer.From
			if size < 2 {
				break
			}
			from := outer.From + rng.IntN(size/2)
			s := &debuginfo.Scope{
				Kind: debuginfo.ScopeInline, Name: "inlined", Call: place(),
				Ranges: []debuginfo.Range{{From: from, To: from + 1 + rng.IntN(outer.To-from)}},
			}
			within.Inner = append(within.Inner, s)
			if rng.IntN(3) > 0 {
				within = s
			}
		}
		r.funcs[uint32(fn)] = d
	}
	return debuginfo.New(r)
}

package stacks

import (
	"fmt"
	"sort"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
	"stackscope/vm/debugger/symbols"
	"stackscope/wasm"
)

// Bounds of a leak report: how much is looked at, and how many lines it has.
const (
	leakBudget = 1_000_000
	leakLines  = 20
)

// Leaks reports the stacks that were left when a run ended: where they stand, who holds them, and
// how many were dropped, which means that nothing could ever resume them again.
func (ss *Stacks) Leaks() string {
	type kind struct {
		standing
		held string
	}
	found, all := ss.mach.SomeStacks(leakBudget)
	count := map[kind]int{}
	first := map[kind]vm.LiveStack{}
	left := 0
	for _, l := range found {
		if l.Rooted() || l.Holder.Kind == vm.HeldByChain {
			continue
		}
		left++
		k := kind{standing: ss.standsAt(l.Stack), held: heldBy(l.Holder)}
		if count[k]++; count[k] == 1 {
			first[k] = l
		}
	}
	dropped := 0
	if all {
		dropped = max(ss.mach.Count()-left, 0)
	}
	if left+dropped == 0 {
		return ""
	}
	kinds := make([]kind, 0, len(count))
	for k := range count {
		kinds = append(kinds, k)
	}
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		if count[a] != count[b] {
			return count[a] > count[b]
		}
		return first[a].ID() < first[b].ID()
	})
	var b strings.Builder
	one, many := "stack", "stacks"
	if d, ok := ss.oneDesign(); ok {
		one, many = d.Noun, d.Plural
	}
	fmt.Fprintf(&b, "%s not ended:\n", symbols.Plural(left+dropped, one+" has", many+" have"))
	for i, k := range kinds {
		if i == leakLines {
			fmt.Fprintf(&b, "  … and %d more kinds\n", len(kinds)-i)
			break
		}
		l := first[k]
		s := ss.sym.Stack(l.Stack)
		line := s.Title()
		if count[k] > 1 {
			line = fmt.Sprintf("%d × %s · %s", count[k], s.Base, s.Doing())
		}
		if h, ok := ss.sym.Holder(l.Holder); ok {
			held := h.String()
			if count[k] > 1 {
				held += " …"
			}
			line += " · held by " + held
		}
		if c := s.CreatedAt.Short(); !s.CreatedAt.IsZero() {
			line += " · created at " + c
		}
		if sk := vm.Skips(l.Stack); len(sk.Tries) > 0 {
			line += " · " + snapshot.SkippedText(ss.sym.Skipped(sk), sk.More)
		}
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if dropped > 0 {
		fmt.Fprintf(
			&b, "  %s dropped: nothing refers to %s\n", symbols.Plural(dropped, "was", "were"),
			map[bool]string{true: "it", false: "them"}[dropped == 1],
		)
	}
	return b.String()
}

// oneDesign returns the row of the design that all modules of the machine are in that switch
// stacks; ok is false if there are several designs, or none.
func (ss *Stacks) oneDesign() (d *wasm.DialectInfo, ok bool) {
	for _, in := range ss.mach.Instances() {
		x := in.Module().Dialect
		switch {
		case !x.Switches() || d == x.Info():
		case d != nil:
			return nil, false
		default:
			d = x.Info()
		}
	}
	return d, d != nil
}

// heldBy returns what holders of a kind have in common.
func heldBy(h vm.Holder) string {
	s := fmt.Sprint(h.Kind, " ", h.Index)
	if h.Instance != nil {
		s += fmt.Sprint(" ", h.Instance.ID())
	}
	return s
}

package stackview

import (
	"slices"
	"sort"

	"stackscope/vm/debugger/snapshot"
)

// Tree is a snapshot as a forest: each stack is below the one that resumed it.
type Tree struct {
	Running  snapshot.StackID // 0 if none
	Roots    []*Node          // the running chain's root first, then suspended and new stacks by id
	Omitted  int              // stacks that the snapshot left out
	Unlisted []snapshot.Count // of those, some that nobody manages
	Finished int              // stacks that have finished
	// Ended are stacks that have ended, by id, and to which something still refers. EndedPartial
	// reports that there may be more.
	Ended        []*Node
	nodes        map[snapshot.StackID]*Node
	EndedPartial bool
}

// Node is a stack in a Tree.
type Node struct {
	snapshot.Stack
	Up       snapshot.StackID // the stack above it: its parent, or who manages it; 0 if none
	Children []*Node          // by id; at most one in the current dialects
}

// New folds a snapshot. Every listed stack is in the tree exactly once, even if links are cyclic or
// refer to stacks that are not listed.
func New(s *snapshot.Snapshot) *Tree {
	t := fold(s, func(n *snapshot.Stack) snapshot.StackID { return n.Parent })
	for _, n := range t.Roots {
		n.sort()
	}
	root := root(t.nodes, s.Running)
	sort.SliceStable(t.Roots, func(i, j int) bool {
		a, b := t.Roots[i], t.Roots[j]
		if (a == root) != (b == root) {
			return a == root
		}
		if a.Rooted != b.Rooted {
			return a.Rooted
		}
		return a.ID < b.ID
	})
	return t
}

// sort orders what is below a node by id.
func (n *Node) sort() {
	for todo := []*Node{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], n.Children...)
		sort.SliceStable(n.Children, func(i, j int) bool { return n.Children[i].ID < n.Children[j].ID })
	}
}

// ByScheduler folds a snapshot in which each stack is below the one that manages it, in the
// snapshot's order, rather than below its parent.
func ByScheduler(s *snapshot.Snapshot) *Tree {
	return fold(s, func(n *snapshot.Stack) snapshot.StackID { return n.Manager })
}

// fold puts each stack below the one that up names.
func fold(s *snapshot.Snapshot, up func(*snapshot.Stack) snapshot.StackID) *Tree {
	t := tree(s)
	nodes := make(map[snapshot.StackID]*Node, len(s.Stacks))
	order := make([]*Node, 0, len(s.Stacks))
	for i := range s.Stacks {
		n := &Node{Stack: s.Stacks[i]}
		n.Up = up(&n.Stack)
		if nodes[n.ID] == nil {
			nodes[n.ID] = n
			order = append(order, n)
		}
	}
	for _, n := range order {
		if p := nodes[n.Up]; p != nil && !above(nodes, p, n) {
			p.Children = append(p.Children, n)
		} else {
			t.Roots = append(t.Roots, n)
		}
	}
	t.nodes = nodes
	return t
}

// tree returns a tree without the stacks that live.
func tree(s *snapshot.Snapshot) *Tree {
	t := &Tree{
		Running: s.Running, Omitted: s.Omitted, Unlisted: s.Unlisted, Finished: s.Finished,
		EndedPartial: s.EndedPartial,
	}
	for i := range s.Ended {
		t.Ended = append(t.Ended, &Node{Stack: s.Ended[i]})
	}
	return t
}

// Flat is New without folding: every listed stack is a root, in the snapshot's order.
func Flat(s *snapshot.Snapshot) *Tree {
	t := tree(s)
	for i := range s.Stacks {
		t.Roots = append(t.Roots, &Node{Stack: s.Stacks[i]})
	}
	return t
}

// above reports whether n is p or an ancestor of p.
func above(nodes map[snapshot.StackID]*Node, p, n *Node) bool {
	for i := 0; p != nil && i <= len(nodes); i++ {
		if p == n {
			return true
		}
		p = nodes[p.Up]
	}
	return false
}

func root(nodes map[snapshot.StackID]*Node, id snapshot.StackID) *Node {
	n := nodes[id]
	for i := 0; n != nil && i <= len(nodes); i++ {
		p := nodes[n.Up]
		if p == nil {
			break
		}
		n = p
	}
	return n
}

// Walk calls f for every node, parents first, with the depth from 0, until f returns false. The stacks
// that have ended come last.
func (t *Tree) Walk(f func(n *Node, depth int) bool) {
	var walk func(ns []*Node, d int) bool
	walk = func(ns []*Node, d int) bool {
		for _, n := range ns {
			if !f(n, d) || !walk(n.Children, d+1) {
				return false
			}
		}
		return true
	}
	walk(slices.Concat(t.Roots, t.Ended), 0)
}

// Size returns the number of nodes.
func (t *Tree) Size() int {
	n := 0
	t.Walk(func(*Node, int) bool { n++; return true })
	return n
}

package completion

import (
	"cmp"
	"slices"
	"strings"

	"stackscope/analysis"
)

// offers collects what could stand at the place, by name: the items of a module, words, labels.
type offers struct {
	*operands
	module int // the number of m
	out    Result
	fit    func(analysis.Symbol) uint8 // of what is offered, see fitting
}

// result returns what was collected.
func (c *offers) result() Result {
	c.out.Replace = c.replace
	return c.out
}

// add offers an item if the prefix narrows to it.
func (c *offers) add(it Item) {
	if it.Insert == "" {
		it.Insert = it.Label
	}
	key := it.Filter
	if key == "" {
		key = it.Label
	}
	if match(c.prefix, key) >= 0 {
		c.out.Items = append(c.out.Items, it)
	}
}

// match ranks how well a word goes with a prefix: 0 begins with it, 1 begins a part after a dot or
// underscore, 2 holds it; -1 not at all. A prefix with `$` asks for names only.
func match(prefix, word string) int {
	if len(prefix) > 2*len(word) {
		return -1
	}
	p, w := strings.ToLower(prefix), strings.ToLower(word)
	if strings.HasPrefix(p, "$") && !strings.HasPrefix(w, "$") {
		return -1
	}
	switch {
	case strings.HasPrefix(w, p):
		return 0
	case strings.HasPrefix(w, "$"+p),
		strings.Contains(w, "."+p),
		strings.Contains(w, "_"+p),
		strings.Contains(w, " "+p):
		return 1
	case len(p) >= 2 && strings.Contains(w, strings.TrimPrefix(p, "$")):
		return 2
	}
	return -1
}

// finish orders the items by how well they match and cuts the list.
func (c *offers) finish() {
	key := func(it Item) string {
		if it.Filter != "" {
			return it.Filter
		}
		return it.Label
	}
	for i := range c.out.Items {
		c.out.Items[i].rank = match(c.prefix, key(c.out.Items[i]))
	}
	slices.SortStableFunc(c.out.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Fit, b.Fit))
	})
	seen := map[string]bool{}
	c.out.Items = slices.DeleteFunc(c.out.Items, func(it Item) bool {
		dup := seen[it.Label]
		seen[it.Label] = true
		return dup
	})
	if len(c.out.Items) > maxItems {
		c.out.Items, c.out.Incomplete = c.out.Items[:maxItems], true
	}
	for i := range c.out.Items {
		if it := &c.out.Items[i]; it.symbol != nil {
			it.Detail = c.detail(*it.symbol)
		}
	}
}

package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
)

// hierarchy shows the calls from or to the function of a marker.
func (a *archive) hierarchy(ctx context.Context, m *mark) string {
	items, err := a.c.PrepareCallHierarchy(
		ctx,
		&protocol.CallHierarchyPrepareParams{TextDocumentPositionParams: a.at(m)},
	)
	if err != nil || len(items) != 1 {
		return fmt.Sprintf("(%d items, %v)", len(items), err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", items[0].Name, *items[0].Detail)
	line := func(it protocol.CallHierarchyItem, at []protocol.Range) {
		fmt.Fprintf(&b, "  %s: %s", it.Name, *it.Detail)
		for _, r := range at {
			b.WriteString(" " + a.show(m.file, a.spanOf(m.file, r)))
		}
		b.WriteByte('\n')
	}
	if m.kind == "called" {
		r, err := a.c.IncomingCalls(ctx, &protocol.CallHierarchyIncomingCallsParams{Item: items[0]})
		if err != nil {
			return err.Error()
		}
		for _, x := range r {
			line(x.From, x.FromRanges)
		}
		return b.String()
	}
	r, err := a.c.OutgoingCalls(ctx, &protocol.CallHierarchyOutgoingCallsParams{Item: items[0]})
	if err != nil {
		return err.Error()
	}
	for _, x := range r {
		line(x.To, x.FromRanges)
	}
	return b.String()
}

// typeTree shows the supertypes and subtypes of the type of a marker.
func (a *archive) typeTree(ctx context.Context, m *mark) string {
	items, err := a.c.PrepareTypeHierarchy(
		ctx,
		&protocol.TypeHierarchyPrepareParams{TextDocumentPositionParams: a.at(m)},
	)
	if err != nil || len(items) != 1 {
		return fmt.Sprintf("(%d items, %v)", len(items), err)
	}
	up, err := a.c.Supertypes(ctx, &protocol.TypeHierarchySupertypesParams{Item: items[0]})
	if err != nil {
		return err.Error()
	}
	down, err := a.c.Subtypes(ctx, &protocol.TypeHierarchySubtypesParams{Item: items[0]})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", items[0].Name, *items[0].Detail)
	for _, x := range up {
		fmt.Fprintf(&b, "  super %s: %s\n", x.Name, *x.Detail)
	}
	for _, x := range down {
		fmt.Fprintf(&b, "  sub %s: %s\n", x.Name, *x.Detail)
	}
	return b.String()
}

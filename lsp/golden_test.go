package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
)

// fileGoldens are the sections of an archive that show a whole file's answer.
var fileGoldens = map[string]func(*archive, *markFile) string{
	"@symbols": goldenSymbols,
	"@tokens":  goldenTokens,
	"@folding": goldenFolding,
	"@inlay":   goldenInlay,
	"@hints":   goldenHints,
	"@links":   goldenLinks,
	"@lenses":  goldenLenses,
	"@format":  goldenFormat,
}

func ident(f *markFile) protocol.TextDocumentIdentifier {
	return protocol.TextDocumentIdentifier{URI: f.uri}
}

func goldenSymbols(a *archive, f *markFile) string {
	r, err := a.c.DocumentSymbol(context.Background(), &protocol.DocumentSymbolParams{TextDocument: ident(f)})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	var walk func(indent string, ss []protocol.DocumentSymbol)
	walk = func(indent string, ss []protocol.DocumentSymbol) {
		for _, s := range ss {
			d := ""
			if s.Detail != nil {
				d = "  " + *s.Detail
			}
			fmt.Fprintf(
				&b,
				"%s%s%s  (kind %d, %s)\n",
				indent,
				s.Name,
				d,
				s.Kind,
				a.show(f, a.spanOf(f, s.SelectionRange)),
			)
			walk(indent+"  ", s.Children)
		}
	}
	walk("", r.(protocol.DocumentSymbolSlice))
	return b.String()
}

func goldenTokens(a *archive, f *markFile) string {
	r, err := a.c.SemanticTokensFull(context.Background(), &protocol.SemanticTokensParams{TextDocument: ident(f)})
	if err != nil {
		return err.Error()
	}
	return showTokens(a.enc, f.src, r.Data)
}

// showTokens writes tokens one per line: place, type, modifiers, text.
func showTokens(enc source.Encoding, src *source.File, data []uint32) string {
	var b strings.Builder
	line, col := 0, 0
	types, mods := ide.TokenTypes(), ide.TokenModifiers()
	for i := 0; i+4 < len(data); i += 5 {
		if data[i] > 0 {
			col = 0
		}
		line += int(data[i])
		col += int(data[i+1])
		from := src.Offset(source.Position{Line: line, Col: col}, enc)
		to := src.Offset(source.Position{Line: line, Col: col + int(data[i+2])}, enc)
		l, c := src.LineCol(from)
		fmt.Fprintf(&b, "%d:%d %s", l, c, types[data[i+3]])
		for k, m := range mods {
			if data[i+4]&(1<<k) != 0 {
				b.WriteString("." + m)
			}
		}
		fmt.Fprintf(&b, " %s\n", src.Text[from:to])
	}
	return b.String()
}

func goldenFolding(a *archive, f *markFile) string {
	r, err := a.c.FoldingRanges(context.Background(), &protocol.FoldingRangeParams{TextDocument: ident(f)})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, x := range r {
		fmt.Fprintf(&b, "%d-%d %s\n", x.StartLine+1, x.EndLine+1, x.Kind)
	}
	return b.String()
}

func goldenInlay(a *archive, f *markFile) string {
	r, err := a.c.InlayHint(
		context.Background(),
		&protocol.InlayHintParams{TextDocument: ident(f), Range: protocol.Range{End: a.pos(f, len(f.src.Text))}},
	)
	if err != nil {
		return err.Error()
	}
	var edits []source.Edit
	for _, h := range r {
		off := f.src.Offset(source.Position{Line: int(h.Position.Line), Col: int(h.Position.Character)}, a.enc)
		edits = append(edits, source.Edit{Span: source.Span{Start: off, End: off}, New: "«" + hintLabel(h) + "»"})
	}
	out, _ := source.ApplyAll(f.src.Text, edits)
	return out
}

func goldenLenses(a *archive, f *markFile) string {
	r, err := a.c.CodeLens(context.Background(), &protocol.CodeLensParams{TextDocument: ident(f)})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, l := range r {
		if l.Command.Title == "" {
			x, err := a.c.CodeLensResolve(context.Background(), &l)
			if err != nil {
				return err.Error()
			}
			l = *x
		}
		fmt.Fprintf(&b, "%s %s %s", a.show(f, a.spanOf(f, l.Range)), l.Command.Title, l.Command.Command)
		for _, x := range l.Command.Arguments {
			fmt.Fprintf(&b, " %s", x)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func goldenFormat(a *archive, f *markFile) string {
	p := &protocol.DocumentFormattingParams{TextDocument: ident(f)}
	p.Options.TabSize, p.Options.InsertSpaces = 2, true
	r, err := a.c.Formatting(context.Background(), p)
	if err != nil {
		return err.Error()
	}
	var edits []source.Edit
	for _, e := range r {
		edits = append(edits, source.Edit{Span: a.spanOf(f, e.Range), New: e.NewText})
	}
	out, ok := source.ApplyAll(f.src.Text, edits)
	if !ok {
		return "edits overlap"
	}
	return out
}

// hintLabel returns what a hint shows.
func hintLabel(h protocol.InlayHint) string {
	switch l := h.Label.(type) {
	case protocol.String:
		return string(l)
	case protocol.InlayHintLabelPartSlice:
		s := ""
		for _, p := range l {
			s += p.Value
		}
		return s
	}
	return ""
}

// goldenHints resolves every hint of a file: its label, where it leads, and its tooltip.
func goldenHints(a *archive, f *markFile) string {
	ctx := context.Background()
	r, err := a.c.InlayHint(
		ctx,
		&protocol.InlayHintParams{TextDocument: ident(f), Range: protocol.Range{End: a.pos(f, len(f.src.Text))}},
	)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, h := range r {
		fmt.Fprintf(&b, "%d: %s", h.Position.Line+1, hintLabel(h))
		x, err := a.c.InlayHintResolve(ctx, &h)
		if err != nil {
			return err.Error()
		}
		tip := x.Tooltip
		if l, ok := x.Label.(protocol.InlayHintLabelPartSlice); ok {
			b.WriteString(" → " + a.show(f, a.spanOf(f, l[0].Location.Range)))
			tip = l[0].Tooltip
		}
		if m, ok := tip.(*protocol.MarkupContent); ok {
			b.WriteString("  " + strings.ReplaceAll(strings.TrimSpace(m.Value), "\n", " / "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func goldenLinks(a *archive, f *markFile) string {
	r, err := a.c.DocumentLink(context.Background(), &protocol.DocumentLinkParams{TextDocument: ident(f)})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, l := range r {
		fmt.Fprintf(&b, "%s %s\n", a.show(f, a.spanOf(f, l.Range)), *l.Target)
	}
	return b.String()
}

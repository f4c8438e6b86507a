package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// Formatting answers `textDocument/formatting`.
func (s *editing) Formatting(ctx context.Context, p *protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return s.edits(d.File(), syntax.FormatAll(d.Snapshot().Tree(), s.formatOptions(p.Options))), nil
}

// RangeFormatting answers `textDocument/rangeFormatting`.
func (s *editing) RangeFormatting(
	ctx context.Context, p *protocol.DocumentRangeFormattingParams,
) ([]protocol.TextEdit, error) {
	return s.formatRanges(ctx, p.TextDocument, []protocol.Range{p.Range}, p.Options)
}

// RangesFormatting answers `textDocument/rangesFormatting`.
func (s *editing) RangesFormatting(
	ctx context.Context, p *protocol.DocumentRangesFormattingParams,
) ([]protocol.TextEdit, error) {
	return s.formatRanges(ctx, p.TextDocument, p.Ranges, p.Options)
}

func (s *editing) formatRanges(
	ctx context.Context, id protocol.TextDocumentIdentifier, rs []protocol.Range, o protocol.FormattingOptions,
) ([]protocol.TextEdit, error) {
	d, err := s.doc(ctx, id.URI)
	if err != nil {
		return nil, err
	}
	f := d.File()
	seen := map[source.Span]bool{} // two ranges may touch the same field
	var all []source.Edit
	for _, r := range rs {
		for _, e := range syntax.Format(d.Snapshot().Tree(), s.formatOptions(o), s.span(f, r)) {
			if !seen[e.Span] {
				seen[e.Span] = true
				all = append(all, e)
			}
		}
	}
	return s.edits(f, all), nil
}

// formatOptions joins the editor's options with the settings.
func (s *editing) formatOptions(o protocol.FormattingOptions) syntax.FormatOptions {
	out := syntax.FormatOptions{Width: s.store.Settings().Format.Width, Tabs: !o.InsertSpaces}
	if o.TabSize > 0 && o.TabSize <= 16 {
		out.Indent = int(o.TabSize)
	}
	return out
}

// OnTypeFormatting answers `textDocument/onTypeFormatting`: the indentation of the line that was
// begun, or that now closes something.
func (s *editing) OnTypeFormatting(
	ctx context.Context, p *protocol.DocumentOnTypeFormattingParams,
) ([]protocol.TextEdit, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.File()
	line := int(p.Position.Line)
	if p.Ch == ")" {
		// Only a line that begins with nothing but closing parentheses moves.
		from := f.LineStart(line)
		if strings.Trim(f.Text[from:max(from, s.offset(f, p.Position))], " \t)") != "" {
			return []protocol.TextEdit{}, nil
		}
	}
	e, ok := ide.Indent(d.Snapshot(), line, indentStep(p.Options))
	if !ok {
		return []protocol.TextEdit{}, nil
	}
	return s.edits(f, []source.Edit{e}), nil
}

// indentStep returns one step of indentation as the editor wants it.
func indentStep(o protocol.FormattingOptions) string {
	if !o.InsertSpaces {
		return "\t"
	}
	if o.TabSize == 0 || o.TabSize > 16 {
		return "  "
	}
	return strings.Repeat(" ", int(o.TabSize))
}

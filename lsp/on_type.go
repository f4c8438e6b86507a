package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
)

// OnTypeFormatting answers `textDocument/onTypeFormatting`: the indentation of the line that was
// begun, or that now closes something.
func (s *editing) OnTypeFormatting(
	ctx context.Context, p *protocol.DocumentOnTypeFormattingParams,
) ([]protocol.TextEdit, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.file()
	line := int(p.Position.Line)
	if p.Ch == ")" {
		// Only a line that begins with nothing but closing parentheses moves.
		from := f.LineStart(line)
		if strings.Trim(f.Text[from:max(from, s.offset(f, p.Position))], " \t)") != "" {
			return []protocol.TextEdit{}, nil
		}
	}
	e, ok := ide.Indent(d.snap(), line, indentStep(p.Options))
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

package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
	"stackscope/analysis/ide/completion"
)

var completionKinds = map[completion.ItemKind]protocol.CompletionItemKind{
	completion.ItemInstr:   protocol.CompletionItemKindOperator,
	completion.ItemKeyword: protocol.CompletionItemKindKeyword,
	completion.ItemSnippet: protocol.CompletionItemKindSnippet,
	completion.ItemType:    protocol.CompletionItemKindClass,
	completion.ItemFunc:    protocol.CompletionItemKindFunction,
	completion.ItemTable:   protocol.CompletionItemKindValue,
	completion.ItemMemory:  protocol.CompletionItemKindValue,
	completion.ItemGlobal:  protocol.CompletionItemKindVariable,
	completion.ItemTag:     protocol.CompletionItemKindEvent,
	completion.ItemLocal:   protocol.CompletionItemKindVariable,
	completion.ItemLabel:   protocol.CompletionItemKindReference,
	completion.ItemField:   protocol.CompletionItemKindField,
	completion.ItemSegment: protocol.CompletionItemKindConstant,
	completion.ItemModule:  protocol.CompletionItemKindModule,
	completion.ItemValType: protocol.CompletionItemKindTypeParameter,
}

// itemData comes back in `completionItem/resolve`.
type itemData struct {
	Instr string `json:"instr,omitempty"`
	// What the item names in a document.
	URI  uri.URI          `json:"uri,omitempty"`
	Decl *completion.Decl `json:"decl,omitempty"`
}

// Completion answers `textDocument/completion`.
func (s *editing) Completion(ctx context.Context, p *protocol.CompletionParams) (protocol.CompletionResult, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	f := d.File()
	c := completion.CompleteIn(s.world(ctx).IDE(), d.Snapshot(), s.offset(f, p.Position))
	if x := p.Context; !c.Name && x.TriggerKind == protocol.CompletionTriggerKindTriggerCharacter &&
		x.TriggerCharacter != nil &&
		*x.TriggerCharacter == " " {
		// After a space only names that have to come are offered unasked, as in `(resume ` and `(on
		// $yield `.
		return &protocol.CompletionList{Items: []protocol.CompletionItem{}}, nil
	}
	out := &protocol.CompletionList{IsIncomplete: c.Incomplete, Items: make([]protocol.CompletionItem, 0, len(c.Items))}
	rng := s.rng(f, c.Replace)
	for i, it := range c.Items {
		ci := protocol.CompletionItem{
			Label:    it.Label,
			Kind:     completionKinds[it.Kind],
			SortText: protocol.NewOptional(fmt.Sprintf("%04d", i)),
		}
		text := it.Insert
		if it.Snippet != "" && s.caps.snippets {
			text, ci.InsertTextFormat = it.Snippet, protocol.InsertTextFormatSnippet
			ci.InsertTextMode = protocol.InsertTextModeAdjustIndentation
		}
		ci.TextEdit = &protocol.TextEdit{Range: rng, NewText: text}
		if it.Filter != "" {
			ci.FilterText = protocol.NewOptional(it.Filter)
		}
		if it.Detail != "" {
			ci.Detail = protocol.NewOptional(it.Detail)
		}
		if it.Doc != "" {
			ci.Documentation = markup(it.Doc, s.caps.completeMarkdown)
		}
		if it.Preselect {
			ci.Preselect = protocol.NewOptional(true)
		}
		switch {
		case it.Instr != "":
			ci.Data, _ = json.Marshal(itemData{Instr: it.Instr})
		case it.Decl.Sym.Space != 0:
			ci.Data, _ = json.Marshal(itemData{URI: d.URI, Decl: &it.Decl})
		}
		out.Items = append(out.Items, ci)
	}
	return out, nil
}

// CompletionResolve answers `completionItem/resolve`: the documentation of an instruction, or the
// comment above a declaration.
func (s *editing) CompletionResolve(
	ctx context.Context, item *protocol.CompletionItem,
) (*protocol.CompletionItem, error) {
	var data itemData
	if len(item.Data) == 0 || json.Unmarshal(item.Data, &data) != nil {
		return item, nil
	}
	doc := ""
	if data.Instr != "" {
		doc = ide.InstrDoc(data.Instr)
	} else if d, err := s.doc(ctx, data.URI); err == nil && data.Decl != nil {
		doc = completion.DeclDoc(d.Snapshot(), *data.Decl, item.Label)
	}
	if doc != "" {
		item.Documentation = markup(doc, s.caps.completeMarkdown)
	}
	return item, nil
}

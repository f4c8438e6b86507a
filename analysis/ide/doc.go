// Package ide answers what an editor asks about a text: hover, navigation, renaming, hints,
// symbols, semantic tokens. Package ide/completion completes, package ide/action offers code
// actions.
//
// Each query is a function of a snapshot and an offset, or a span. Results are plain values with
// byte spans; package lsp turns them into protocol messages. Queries work on texts with errors.
//
//	s := analysis.Open(source.NewFile("a.wat", text), analysis.Options{})
//	if h, ok := ide.Hover(s, offset); ok {
//		fmt.Println(h.Markdown)
//	}
//
// A name that another module declares is followed through a World, which finds the module that
// an import names: DefinitionIn, ReferencesIn, RenameIn and HoverIn take one.
package ide

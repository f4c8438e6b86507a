package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"stackscope/analysis/ide"
	"stackscope/analysis/source"
	"stackscope/lsp/internal/workspace"
)

// The commands of our lenses; the client runs them, with the document's URI and the export's name.
const (
	CommandRun   = "stackscope.run"
	CommandDebug = "stackscope.debug"
	// These run a command of a script; the arguments are the script's URI and the command's line,
	// from 1.
	CommandRunScript   = "stackscope.runScriptCommand"
	CommandDebugScript = "stackscope.debugScriptCommand"
	// CommandReferences shows places: the arguments are the document's URI, a position in it and
	// locations, as VS Code's own command for that takes them in its own types.
	CommandReferences = "stackscope.references"
)

// CodeLens answers `textDocument/codeLens`: what functions may do to stacks, the number of
// references (counted when a lens is resolved), in the text of a binary module the place of a
// function in the source, and for clients that said that they have the
// commands, Run and Debug over exported functions and over the commands of scripts.
func (s *presentation) CodeLens(ctx context.Context, p *protocol.CodeLensParams) ([]protocol.CodeLens, error) {
	d, err := s.doc(ctx, p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	set := s.store.Settings().Lenses
	u, err := json.Marshal(string(d.URI))
	if err != nil {
		return nil, err
	}
	out := []protocol.CodeLens{}
	if s.caps.lenses && set.Run {
		if out, err = s.runLenses(d, u, out); err != nil {
			return nil, err
		}
	}
	if set.Effects {
		for _, l := range ide.EffectLenses(d.Snapshot()) {
			out = append(
				out,
				protocol.CodeLens{Range: s.rng(d.File(), l.Span), Command: protocol.Command{Title: l.Title}},
			)
		}
	}
	if s.caps.protocol != "" && set.Protocols {
		for _, l := range ide.ProtocolLenses(d.Snapshot()) {
			name, err := json.Marshal(l.Name)
			if err != nil {
				return nil, err
			}
			out = append(out, protocol.CodeLens{Range: s.rng(d.File(), l.Span), Command: protocol.Command{
				Title: titleProtocol, Command: s.caps.protocol, Arguments: []protocol.LSPAny{u, name}}})
		}
	}
	if set.Sources {
		if out, err = s.sourceLenses(ctx, d, out); err != nil {
			return nil, err
		}
	}
	if set.References != workspace.ReferencesNone {
		for _, sp := range ide.ReferenceLenses(d.Snapshot(), set.References == workspace.ReferencesAll) {
			out = append(out, protocol.CodeLens{Range: s.rng(d.File(), sp), Data: u})
		}
	}
	return out, nil
}

// runLenses adds Run and Debug over the exported functions of a document and the commands of a
// script.
func (s *presentation) runLenses(
	d *workspace.Document,
	u protocol.LSPAny,
	out []protocol.CodeLens,
) ([]protocol.CodeLens, error) {
	add := func(sp source.Span, title, command string, arg any) error {
		b, err := json.Marshal(arg)
		if err == nil {
			out = append(
				out,
				protocol.CodeLens{
					Range:   s.rng(d.File(), sp),
					Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{u, b}},
				},
			)
		}
		return err
	}
	for _, l := range ide.Lenses(d.Snapshot()) {
		if err := errors.Join(add(l.Span, titleRun, CommandRun, l.Export), add(l.Span, titleDebug, CommandDebug,
			l.Export)); err != nil {
			return nil, err
		}
	}
	for _, l := range ide.ScriptLenses(d.Snapshot()) {
		line, _ := d.File().LineCol(l.Span.Start)
		err := add(l.Span, titleRun, CommandRunScript, line)
		if l.Debug {
			err = errors.Join(err, add(l.Span, titleDebug, CommandDebugScript, line))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// maxLensPlaces bounds the places that a lens shows. Its title counts all of them.
const maxLensPlaces = 10_000

const titleRun, titleDebug, titleProtocol = "▶ Run", "Debug", "Show Protocol"

// CodeLensResolve counts the references of a lens, those in other files included. Clients that have
// our commands can show them.
func (s *presentation) CodeLensResolve(ctx context.Context, l *protocol.CodeLens) (*protocol.CodeLens, error) {
	var name string
	if len(l.Data) == 0 || json.Unmarshal(l.Data, &name) != nil {
		return l, nil
	}
	d, err := s.doc(ctx, uri.URI(name))
	if err != nil {
		return nil, err
	}
	w := s.world(ctx)
	places := s.sites(w, ide.ReferencesIn(w.IDE(), d.Snapshot(), s.offset(d.File(), l.Range.Start), false))
	out := *l
	out.Command = protocol.Command{Title: "1 reference"}
	if n := len(places); n != 1 {
		out.Command.Title = strconv.Itoa(n) + " references"
	}
	if !s.caps.lenses || len(places) == 0 {
		return &out, nil
	}
	out.Command.Command = CommandReferences
	out.Command.Arguments, err = arguments(
		d.URI, l.Range.Start, []protocol.Location(places[:min(len(places), maxLensPlaces)]),
	)
	return &out, err
}

// arguments returns the arguments of a command.
func arguments(values ...any) (args []protocol.LSPAny, err error) {
	for _, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		args = append(args, b)
	}
	return args, nil
}

// sourceLenses adds the places of functions in the source.
func (s *presentation) sourceLenses(
	ctx context.Context, d *workspace.Document, out []protocol.CodeLens,
) ([]protocol.CodeLens, error) {
	l := s.listing(ctx, d)
	if l == nil {
		return out, nil
	}
	for fn := range l.NumFuncs() {
		levels := l.Func(uint32(fn))
		from, to, ok := l.Name(uint32(fn))
		if len(levels) == 0 || !ok {
			continue
		}
		v := levels[0]
		lens := protocol.CodeLens{
			Range:   s.rng(d.File(), source.Span{Start: from, End: to}),
			Command: protocol.Command{Title: v.String()},
		}
		if at, ok := s.levelAt(v); ok && s.caps.lenses {
			args, err := arguments(d.URI, lens.Range.Start, []protocol.Location{at})
			if err != nil {
				return nil, err
			}
			lens.Command.Command, lens.Command.Arguments = CommandReferences, args
		}
		out = append(out, lens)
	}
	return out, nil
}

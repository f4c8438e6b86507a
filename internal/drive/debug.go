package drive

import (
	"context"

	"stackscope/internal/wast"
	"stackscope/vm"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
	"stackscope/vm/host"
)

// symbols returns the modules of the program in the words of their sources.
func (p *Program) symbols() *symbols.Symbols {
	var us []*symbols.Unit
	for _, u := range p.Units {
		us = append(us, u.Unit)
	}
	return symbols.NewSymbols(us)
}

// Debug returns the program for the debugger. The commands of the script are places to stop at.
func (p *Program) Debug() (*debugger.Program, error) {
	d, err := p.Program.Debug()
	if err != nil {
		return nil, err
	}
	places := make([]int, len(p.commands)) // of commands, in d.Commands; -1: it is none
	for i, c := range p.commands {
		places[i] = -1
		if p.executed[c] {
			places[i] = len(d.Commands)
			d.Commands = append(d.Commands, debugger.Command{
				File: p.file, Span: c.Span, Title: c.Label(),
				Runs: c.Action != nil && c.Action.Export != "" && !c.Action.Get,
			})
		}
	}
	place := func(n int) int {
		if n < 0 {
			return -1
		}
		return places[n]
	}
	d.Prepare = func(r *debugger.Runner) debugger.Session {
		l := &host.Loop{}
		script := p.DebugScript(r, l)
		run := p.NewRun(r.Machine, l, script, Hooks{
			Command: func(n int) { r.Command(place(n)) },
			Event:   func(n int) { r.Event(place(n)) },
			Expect:  r.ExpectFault,
			Failed: func(res *wast.Result) {
				r.Output(debugger.Console, res.String()+"\n")
				r.CommandFailed(res.Message)
			},
			Print: func(text string) { r.Output(debugger.Console, text+"\n") },
		})
		s := debugger.Session{
			Imports: run.Imports(p.DebugHost(r, l)),
			Linked:  run.Linked,
			Explain: p.Explain,
			Drive: func(ctx context.Context, in *vm.Instance) ([]vm.Value, error) {
				vs, err := run.Drive(ctx, in)
				if err != nil || p.script == nil {
					return vs, err
				}
				r.Output(debugger.Console, run.Summary().String()+"\n")
				return nil, run.Summary().Err()
			},
		}
		if script != nil {
			s.Link = func(
				ctx context.Context, u *symbols.Unit, imports vm.Imports,
				instantiate func(vm.Imports) (*vm.Instance, error),
			) (*vm.Instance, error) {
				in, err := script.Run(ctx, u.Module, imports, instantiate)
				return in, run.Uncaught(err)
			}
		}
		return s
	}
	return d, nil
}

// Link instantiates the modules of the program on a machine that has no debugger. The hosts are the
// host's modules, with the event loop of the run.
func (r *Run) Link(ctx context.Context, hosts vm.Imports) (*vm.Instance, error) {
	in, err := r.p.Link(ctx, r.m, r.Imports(hosts), r.Linked, r.script)
	return in, r.Uncaught(err)
}

package dap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
	"stackscope/vm/debugger/snapshot"
)

// disassembler shows the code of functions as instructions at addresses.
type disassembler struct{ common }

// codeReference writes the address of an instruction, "" if there is none.
func codeReference(a engine.CodeAddress) string {
	if a == 0 {
		return ""
	}
	return fmt.Sprintf("0x%x", uint64(a))
}

func parseCode(s string, offset int) (engine.CodeAddress, error) {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil || n>>32 == 0 {
		return 0, fmt.Errorf("%q is not a code address", s)
	}
	return engine.CodeAddress(int64(n) + int64(offset)), nil
}

// maxInstructions bounds one disassemble.
const maxInstructions = 100_000

// onDisassemble returns exactly as many instructions as are asked for; where there are none they
// are marked as invalid.
func (da *disassembler) onDisassemble(a *disassembleArguments) (any, error) {
	at, err := parseCode(a.MemoryReference, a.Offset)
	if err != nil {
		return nil, err
	}
	if a.InstructionCount < 0 || a.InstructionCount > maxInstructions {
		return nil, fmt.Errorf("cannot disassemble %d instructions at once", a.InstructionCount)
	}
	e, err := da.prog.engine()
	if err != nil {
		return nil, err
	}
	out := disassembleBody{Instructions: []disassembled{}}
	found := false
	err = e.Do(func() {
		var list []engine.Instruction
		list, found = e.Symbols.Disassemble(at, a.InstructionOffset, a.InstructionCount)
		places := placer{da, e, map[engine.FuncID]sourcePlace{}}
		registers := map[engine.FuncID]map[int][]string{}
		for _, x := range list {
			d := disassembled{
				DisassembledInstruction: godap.DisassembledInstruction{
					Address: codeReference(x.Address), Instruction: x.Text,
				},
			}
			if x.File == nil {
				d.Instruction, d.PresentationHint = "(no instruction)", "invalid"
				out.Instructions = append(out.Instructions, d)
				continue
			}
			if x.Bytes != nil {
				d.InstructionBytes = fmt.Sprintf("% x", x.Bytes)
			}
			if da.prog.launch.Disassembly == "fused" || da.prog.launch.Disassembly == "register" {
				if registers[x.Func] == nil {
					registers[x.Func] = e.RegisterForm(x.Func)
				}
				if ops := registers[x.Func][x.PC]; len(ops) > 0 {
					d.Instruction += "  ;; " + strings.Join(ops, "; ")
				}
			}
			if x.PC == 0 {
				d.Symbol = x.Title
			}
			if at := places.place(x); at.Source != nil {
				d.Location, d.Line, d.Column = at.Source, at.line, at.col
			} else {
				d.Location = da.src.of(x.Func.Unit)
				d.Line, d.Column = da.client.position(x.File, x.Span.Start)
				d.EndLine, d.EndColumn = da.client.position(x.File, x.Span.End)
			}
			out.Instructions = append(out.Instructions, d)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, errors.New("there is no code at this address")
	}
	return out, nil
}

// sourcePlace is a place in a source as a client has it; Source is nil if there is none.
type sourcePlace struct {
	*godap.Source
	line, col int
}

// placer finds the places of instructions in their source.
type placer struct {
	da   *disassembler
	e    *engine.Engine
	last map[engine.FuncID]sourcePlace // of the instruction before, by function
}

// place returns the place in the source of an instruction; none if it is not known, not there, or the
// function is shown in the text format. An instruction without one belongs to what is before it.
func (p *placer) place(x engine.Instruction) (at sourcePlace) {
	fi := p.e.Symbols.FunctionOf(x.Func)
	if fi == nil || !fi.InSource() {
		return at
	}
	at, known := p.last[x.Func]
	from := x.PC
	if !known {
		from = 0
	}
	for pc := x.PC; pc >= from; pc-- {
		if here, ok := fi.Source().Place(pc); ok {
			file := fi.FileOf(here)
			if at.Source = p.da.src.ofFile(file); at.Source != nil {
				at.line, at.col = p.da.client.position(file, snapshot.TextOffset(here.Line-1, max(here.Col-1, 0)))
			}
			break
		}
	}
	p.last[x.Func] = at
	return at
}

package dap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	engine "stackscope/vm/debugger"
)

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
		return 0, fmt.Errorf("%q is no address of code", s)
	}
	return engine.CodeAddress(int64(n) + int64(offset)), nil
}

// maxInstructions bounds one disassemble.
const maxInstructions = 100_000

// onDisassemble returns exactly as many instructions as are asked for; where there are none they
// are marked as invalid.
func (s *session) onDisassemble(a *disassembleArguments) (any, error) {
	at, err := parseCode(a.MemoryReference, a.Offset)
	if err != nil {
		return nil, err
	}
	if a.InstructionCount < 0 || a.InstructionCount > maxInstructions {
		return nil, fmt.Errorf("%d instructions cannot be given at once", a.InstructionCount)
	}
	e, err := s.requireEngine()
	if err != nil {
		return nil, err
	}
	out := disassembleBody{Instructions: []disassembled{}}
	found := false
	err = e.Do(func() {
		var list []engine.Instruction
		list, found = e.Symbols.Disassemble(at, a.InstructionOffset, a.InstructionCount)
		registers := map[engine.FuncID]map[int][]string{}
		for _, x := range list {
			d := disassembled{
				DisassembledInstruction: godap.DisassembledInstruction{Address: codeReference(x.Address), Instruction: x.Text},
			}
			if x.File == nil {
				d.Instruction, d.PresentationHint = "(no instruction)", "invalid"
				out.Instructions = append(out.Instructions, d)
				continue
			}
			if x.Bytes != nil {
				d.InstructionBytes = fmt.Sprintf("% x", x.Bytes)
			}
			if s.launch.Disassembly == "fused" || s.launch.Disassembly == "register" {
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
			d.Location = s.sourceOf(x.Func.Unit)
			d.Line, d.Column = s.position(x.File, x.Span.Start)
			d.EndLine, d.EndColumn = s.position(x.File, x.Span.End)
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

func (s *session) onSetInstructionBreakpoints(a *setInstructionBreakpointsArguments) (any, error) {
	old := s.breaks.instrs
	var list []*engine.Breakpoint
	var modes []string
	for _, x := range a.Breakpoints {
		b := &engine.Breakpoint{Condition: x.Condition, Hit: x.HitCondition, Code: ^engine.CodeAddress(0)}
		if at, err := parseCode(x.InstructionReference, x.Offset); err == nil {
			b.Code = at
		}
		s.mode(b, x.Mode)
		s.breaks.keepID(b, old, list, func(y *engine.Breakpoint) bool { return y.Code == b.Code })
		for i, y := range old {
			if y.ID == b.ID {
				s.keepStack(b, x.Mode, y, s.breaks.instrModes[i])
			}
		}
		list = append(list, b)
		modes = append(modes, x.Mode)
	}
	if s.eng != nil {
		if err := s.eng.Breakpoints.Set(s.group("instructions"), nil, list); err != nil {
			return nil, err
		}
	}
	for i, b := range list {
		noteUnbound(b, modes[i])
	}
	s.breaks.instrs, s.breaks.instrModes = list, modes
	return s.breakpointsBody(list), nil
}

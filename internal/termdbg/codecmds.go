package termdbg

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// codeView finds and shows instructions.
type codeView struct {
	*target
	breaks *breakTable
	lister *lister
}

func (cv *codeView) commands() []cmd {
	return []cmd{{
		name: "disassemble", aliases: []string{"disas"}, group: files,
		args:  "[$FUNC | LINE | *ADDRESS]",
		short: "show the instructions of a function, with its source; with /r, their bytes", slash: true,
		serves: []string{"disassemble"}, words: placeWords, run: cv.cmdDisassemble,
	}}
}

// instruction is a line of a disassembly.
type instruction struct {
	godap.DisassembledInstruction
	PresentationHint string `json:"presentationHint"`
}

// maxFunction is how many instructions of a function are looked at.
const maxFunction = 20_000

// disassembleFrom returns n instructions, starting skip instructions after an address. Those
// outside of the code are left out.
func (cv *codeView) disassembleFrom(at string, skip, n int) ([]instruction, error) {
	var b struct {
		Instructions []instruction `json:"instructions"`
	}
	a := map[string]any{"memoryReference": at, "instructionOffset": skip, "instructionCount": n}
	if err := cv.ask("disassemble", a, &b); err != nil {
		return nil, err
	}
	var out []instruction
	var src *godap.Source
	for _, x := range b.Instructions {
		if x.PresentationHint == "invalid" {
			continue
		}
		if x.Location != nil { // sent only where it changes
			src = x.Location
		}
		x.Location = src
		out = append(out, x)
	}
	return out, nil
}

// eachFrom calls f with the instructions from an address on until it returns false, the code ends,
// or n were looked at. The chunks grow: most searches end soon.
func (cv *codeView) eachFrom(at string, n int, f func(x *instruction) bool) error {
	skip := 0
	for chunk := firstChunk; n > 0; chunk = min(2*chunk, maxFunction) {
		code, err := cv.disassembleFrom(at, skip, chunk)
		if err != nil {
			return err
		}
		for i := range code {
			if !f(&code[i]) {
				return nil
			}
		}
		if len(code) < chunk || cv.interrupted {
			return nil
		}
		at, skip, n = code[len(code)-1].Address, 1, n-chunk
	}
	return nil
}

// firstChunk is how many instructions the first request asks for.
const firstChunk = 64

// function returns the instructions of the function around an address.
func (cv *codeView) function(at string) ([]instruction, error) {
	for n := firstChunk; ; n *= 8 {
		all, err := cv.disassembleFrom(at, -n, n+1)
		if err != nil {
			return nil, err
		}
		here := slices.IndexFunc(all, func(x instruction) bool { return x.Address == at })
		if here < 0 {
			return nil, errors.New("there is no instruction at this address")
		}
		first := here
		for first > 0 && all[first].Symbol == "" {
			first--
		}
		if all[first].Symbol == "" && len(all) > n && n < maxFunction {
			continue
		}
		out := slices.Clone(all[first:here])
		err = cv.eachFrom(at, maxFunction, func(x *instruction) bool {
			if x.Symbol != "" && x.Address != at {
				return false
			}
			out = append(out, *x)
			return true
		})
		return out, err
	}
}

// find returns the address of the first instruction of a function, or on a line.
func (cv *codeView) find(p place) (string, error) {
	if p.code != "" {
		return p.code, nil
	}
	p, err := cv.breaks.locate(p)
	if err == nil && p.code == "" {
		err = errors.New("there is no code there")
	}
	return p.code, err
}

func (cv *codeView) cmdDisassemble(a args) {
	bytes := strings.ContainsAny(a.format, "r")
	if rest, ok := strings.CutPrefix(a.text, "-r"); ok {
		bytes, a.text = true, strings.TrimSpace(rest)
	}
	if strings.Trim(a.format, "rsm") != "" {
		cv.failf("%q is not a format of disassemble: use r to show the bytes", a.format)
		return
	}
	if !cv.standing() {
		return
	}
	at, err := cv.codeAt(a.text)
	var code []instruction
	if err == nil {
		code, err = cv.function(at)
	}
	if err != nil {
		cv.fail(err)
		return
	}
	cv.instructions(code, bytes)
}

// codeAt returns the address of the code at a place, or at the frame for "".
func (cv *codeView) codeAt(text string) (string, error) {
	if text == "" || text == "$pc" {
		return cv.lister.codeAddress("$pc")
	}
	if n, err := strconv.ParseUint(text, 0, 64); err == nil && n>>32 != 0 {
		return cv.lister.codeAddress(text)
	}
	p, err := cv.lister.place(text)
	if err != nil {
		return "", err
	}
	return cv.find(p)
}

// instructions prints instructions; an arrow marks the one of the frame.
func (cv *codeView) instructions(code []instruction, bytes bool) {
	here := ""
	if f := cv.frame(); f != nil {
		here = f.InstructionPointerReference
	}
	at := ""
	for _, x := range code {
		if cv.interrupted {
			return
		}
		if x.Symbol != "" {
			cv.printf("%s:\n", cv.paint("1", x.Symbol))
		}
		if now := cv.lister.sourceLine(x.Location, x.Line); now != "" && now != at {
			cv.printf("%s\n", cv.paint("36", now))
			at = now
		}
		mark := "  "
		if x.Address == here {
			mark = cv.paint("36", "→ ")
		}
		raw := ""
		if bytes {
			raw = fmt.Sprintf("%-24s ", x.InstructionBytes)
		}
		cv.printf("%s%s  %s%5d  %s\n", mark, cv.paint("2", x.Address), raw, x.Line, x.Instruction)
	}
}

package termdbg

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// memoryView shows and writes linear memory.
type memoryView struct {
	*target
	code     *codeView
	examined examined
}

func (mv *memoryView) commands() []cmd {
	return []cmd{
		{
			name:    "x",
			aliases: []string{"memory", "examinemem"},
			group:   data,
			args:    "[MEMORY:]ADDRESS [BYTES]",
			short:   "examine memory: x/4xw 16",
			slash:   true,
			again:   true,
			long: `A format is a count, a letter (x d u o t c f s, or i for instructions) and a size (b h w g for 1, 2, 4 or
8 bytes). Without a format, x dumps bytes. ADDRESS is a number or an expression; MEMORY is $name or a
number. x alone continues after the last address.`,
			serves: []string{"readMemory"},
			words:  exprWords, run: mv.cmdX,
		},
		{
			name: "write", group: data, args: "[MEMORY:]ADDRESS BYTE… | \"TEXT\"",
			short: "write bytes or text to memory", once: true, serves: []string{"writeMemory"},
			words: exprWords, run: mv.cmdWrite,
		},
		{
			name: "dump", group: data, args: "memory FILE [MEMORY:]START END",
			short: "write a range of memory to a file", once: true, words: exprWords, run: mv.cmdDump,
		},
		{
			name: "restore", group: data, args: "FILE [MEMORY:]ADDRESS", short: "write a file to memory",
			once: true, words: fileWords, run: mv.cmdRestore,
		},
	}
}

// examined is the state that x keeps for the next x.
type examined struct {
	format, size byte
	memory       string // its reference
	next         uint64
	code         string // the next instruction; "" after memory
	any          bool
}

// form is the format of x.
type form struct {
	count        int
	format, size byte
}

// maxExamined bounds what one x shows.
const maxExamined = 1 << 16

// parseForm parses a format such as `4xw`. Missing parts are 0.
func parseForm(s string) (form, error) {
	var f form
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits > 0 {
		n, err := strconv.Atoi(s[:digits])
		if err != nil || n < 1 || n > maxExamined {
			return f, fmt.Errorf("the count must be 1 to %d", maxExamined)
		}
		f.count = n
	}
	for i := digits; i < len(s); i++ {
		switch c := s[i]; {
		case strings.IndexByte("bhwg", c) >= 0:
			f.size = c
		case strings.IndexByte("xdutocfsiaz", c) >= 0:
			f.format = c
		default:
			return f, fmt.Errorf(
				"%q is not a format: use a count, one of x d u t o c f s i, and b h w g for 1, 2, 4 or 8 bytes", s,
			)
		}
	}
	return f, nil
}

// delveForm parses the flags of delve's examinemem: -fmt hex -count 4 -size 1.
func delveForm(text string, f form) (string, form, error) {
	for {
		flag, rest, _ := strings.Cut(text, " ")
		value, more, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch flag {
		case "-fmt":
			l, ok := map[string]byte{"hex": 'x', "dec": 'd', "oct": 'o', "bin": 't', "char": 'c', "raw": 'x'}[value]
			if !ok {
				return "", f, fmt.Errorf("%q is not a format", value)
			}
			f.format = l
		case "-size":
			l, ok := map[string]byte{"1": 'b', "2": 'h', "4": 'w', "8": 'g'}[value]
			if !ok {
				return "", f, fmt.Errorf("the size must be 1, 2, 4 or 8")
			}
			f.size = l
		case "-count", "-len":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxExamined {
				return "", f, fmt.Errorf("the count must be 1 to %d", maxExamined)
			}
			f.count = n
		case "-x":
			more = rest
		default:
			return text, f, nil
		}
		text = strings.TrimSpace(more)
	}
}

func (mv *memoryView) cmdX(a args) {
	f, err := parseForm(a.format)
	text := a.text
	if err == nil {
		text, f, err = delveForm(text, f)
	}
	if err != nil {
		mv.fail(err)
		return
	}
	if !mv.standing() {
		return
	}
	if f.format == 'i' || text == "" && mv.examined.code != "" && f.format == 0 {
		mv.examineCode(text, max(f.count, 1))
		return
	}
	bytes := 0
	if at, n, ok := lastNumber(text); ok && f == (form{}) {
		text, bytes = at, n
	}
	x := &mv.examined
	if text == "" {
		if !x.any {
			mv.failf("x needs an address, such as x 16 or x/4xw $p")
			return
		}
		if f.format == 0 {
			f.format = x.format
		}
		if f.size == 0 {
			f.size = x.size
		}
	} else {
		ref, at, err := mv.address(text)
		if err != nil {
			mv.fail(err)
			return
		}
		*x = examined{memory: ref, next: at, any: true}
	}
	if bytes > 0 || a.format == "" && f == (form{}) || f.format == 'm' {
		x.format = 'm' // a dump
		if bytes == 0 {
			bytes = 64
		}
		mv.dumpBytes(bytes)
		return
	}
	mv.examine(f)
}

// lastNumber splits the number from the end of `ADDRESS BYTES`.
func lastNumber(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || strings.Count(s[:i], "(") != strings.Count(s[:i], ")") {
		return s, 0, false
	}
	v, err := strconv.ParseInt(s[i+1:], 0, 32)
	rest = strings.TrimSpace(s[:i])
	if err != nil || v < 1 || v > maxExamined || rest == "" ||
		strings.IndexByte("+-*/%&|^<>=!,:([", rest[len(rest)-1]) >= 0 {
		return s, 0, false
	}
	return rest, int(v), true
}

// read reads up to n bytes at the next address. It reports whether the request succeeded.
func (mv *memoryView) read(n int) ([]byte, bool) {
	x := &mv.examined
	var b godap.ReadMemoryResponseBody
	if !mv.request("readMemory", godap.ReadMemoryArguments{MemoryReference: x.memory, Offset: int(x.next), Count: n},
		&b) {
		return nil, false
	}
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		mv.fail(err)
		return nil, false
	}
	return data, true
}

func (mv *memoryView) dumpBytes(n int) {
	x := &mv.examined
	b, ok := mv.read(n)
	if !ok {
		return
	}
	for i := 0; i < len(b); i += 16 {
		row := b[i:min(i+16, len(b))]
		text := []byte(string(row))
		for j, c := range text {
			if c < ' ' || c > '~' {
				text[j] = '.'
			}
		}
		mv.printf("  %08x  %-47s  %s\n", x.next+uint64(i), fmt.Sprintf("% x", row), text)
	}
	if x.next += uint64(len(b)); len(b) < n {
		mv.printf("  %d bytes are past the end of memory\n", n-len(b))
	}
}

// examine shows units of memory as gdb does.
func (mv *memoryView) examine(f form) {
	x := &mv.examined
	f.count = max(f.count, 1)
	if f.format == 0 {
		f.format = 'x'
	}
	if f.format == 's' {
		x.format = 's'
		mv.examineStrings(f.count)
		return
	}
	if f.size == 0 {
		f.size = map[byte]byte{'c': 'b', 'f': 'g'}[f.format]
	}
	if f.size == 0 {
		f.size = 'w'
	}
	x.format, x.size = f.format, f.size
	n := map[byte]int{'b': 1, 'h': 2, 'w': 4, 'g': 8}[f.size]
	if f.format == 'f' && n < 4 {
		mv.failf("a float has 4 or 8 bytes: use w or g")
		return
	}
	b, ok := mv.read(f.count * n)
	if !ok {
		return
	}
	row := 16 / n
	if f.format == 't' {
		row = max(1, row/4)
	}
	for i := 0; i+n <= len(b); {
		mv.printf("  %08x: ", x.next+uint64(i))
		for j := 0; j < row && i+n <= len(b); j++ {
			mv.printf(" %s", unit(b[i:i+n], f.format))
			i += n
		}
		mv.printf("\n")
	}
	whole := len(b) / n * n
	if x.next += uint64(whole); whole < f.count*n {
		mv.printf("  %d bytes are past the end of memory\n", f.count*n-len(b))
	}
}

// unit returns a unit of memory in a format.
func unit(b []byte, format byte) string {
	var w [8]byte
	copy(w[:], b)
	u := binary.LittleEndian.Uint64(w[:])
	bits := len(b) * 8
	signed := int64(u) << (64 - bits) >> (64 - bits)
	switch format {
	case 'd':
		return fmt.Sprintf("%*d", bits/4+2, signed)
	case 'u':
		return fmt.Sprintf("%*d", bits/4+2, u)
	case 'o':
		return fmt.Sprintf("0%0*o", (bits+2)/3, u)
	case 't':
		return fmt.Sprintf("%0*b", bits, u)
	case 'c':
		return fmt.Sprintf("%4d %-6s", signed, strconv.QuoteRune(rune(u)))
	case 'f':
		if bits == 32 {
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(u))), 'g', -1, 32)
		}
		return strconv.FormatFloat(math.Float64frombits(u), 'g', -1, 64)
	}
	return fmt.Sprintf("0x%0*x", bits/4, u)
}

// examineStrings shows strings that end with a zero byte.
func (mv *memoryView) examineStrings(n int) {
	const longest = 200
	x := &mv.examined
	for range n {
		b, ok := mv.read(longest)
		if !ok {
			return
		}
		if len(b) == 0 {
			mv.printf("  %08x is past the end of memory\n", x.next)
			return
		}
		text, more := b, "…"
		if i := strings.IndexByte(string(b), 0); i >= 0 {
			text, more = b[:i], ""
		}
		mv.printf("  %08x: %s%s\n", x.next, strconv.Quote(string(text)), more)
		x.next += uint64(len(text))
		if more == "" {
			x.next++
		}
	}
}

// memoryVar is a memory of the frame's module.
type memoryVar struct{ name, ref string }

// memories lists the memories of the frame's module.
func (mv *memoryView) memories() []memoryVar {
	var sc godap.ScopesResponseBody
	if mv.ask("scopes", godap.ScopesArguments{FrameId: mv.frameID()}, &sc) != nil {
		return nil
	}
	var out []memoryVar
	for _, x := range sc.Scopes {
		if x.Name != "Memory" {
			continue
		}
		var vs godap.VariablesResponseBody
		if mv.ask("variables", godap.VariablesArguments{VariablesReference: x.VariablesReference}, &vs) == nil {
			for _, v := range vs.Variables {
				if v.MemoryReference != "" {
					out = append(out, memoryVar{strings.TrimPrefix(v.Name, "memory "), v.MemoryReference})
				}
			}
		}
	}
	return out
}

// address parses [MEMORY:]ADDRESS, where the address is a number or an expression.
func (mv *memoryView) address(text string) (ref string, at uint64, err error) {
	all := mv.memories()
	if len(all) == 0 {
		return "", 0, errors.New("there is no memory here")
	}
	ref = all[0].ref
	if name, rest, ok := strings.Cut(text, ":"); ok {
		found := false
		for i, m := range all {
			if m.name == name || m.name == "$"+name || strconv.Itoa(i) == name {
				ref, text, found = m.ref, strings.TrimSpace(rest), true
				break
			}
		}
		if !found {
			return "", 0, fmt.Errorf("there is no memory %s here", name)
		}
	}
	at, err = mv.number(text)
	return ref, at, err
}

// number evaluates an address.
func (mv *memoryView) number(text string) (uint64, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return n, inRange(n)
	}
	if text == "" {
		return 0, errors.New("missing address")
	}
	var b godap.EvaluateResponseBody
	a := godap.EvaluateArguments{Expression: text + ",u", FrameId: mv.frameID(), Context: "watch"}
	if err := mv.ask("evaluate", a, &b); err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(b.Result, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is %s, which is not an address", text, b.Result)
	}
	return n, inRange(n)
}

func inRange(n uint64) error {
	if n > 1<<48 {
		return fmt.Errorf("0x%x is past the end of all memories", n)
	}
	return nil
}

// writeBytes writes bytes to memory, all or none.
func (mv *memoryView) writeBytes(ref string, at uint64, b []byte) bool {
	var body struct {
		BytesWritten int `json:"bytesWritten"`
	}
	a := godap.WriteMemoryArguments{MemoryReference: ref, Offset: int(at), Data: base64.StdEncoding.EncodeToString(b)}
	if !mv.request("writeMemory", a, &body) {
		return false
	}
	mv.printf("%d bytes written at 0x%x\n", body.BytesWritten, at)
	return true
}

func (mv *memoryView) cmdWrite(a args) {
	where, rest, _ := strings.Cut(a.text, " ")
	rest = strings.TrimSpace(rest)
	if rest == "" {
		mv.failf(`write needs an address and bytes, such as write 16 0x41 0x42 or write 16 "AB"`)
		return
	}
	if !mv.standing() {
		return
	}
	var b []byte
	if strings.HasPrefix(rest, `"`) {
		s, err := strconv.Unquote(rest)
		if err != nil {
			mv.failf("%s is not quoted text", rest)
			return
		}
		b = []byte(s)
	} else {
		for _, w := range strings.Fields(rest) {
			n, err := strconv.ParseInt(w, 0, 16)
			if err != nil || n < -128 || n > 255 {
				mv.failf("%q is not a byte", w)
				return
			}
			b = append(b, byte(n))
		}
	}
	ref, at, err := mv.address(where)
	if err != nil {
		mv.fail(err)
		return
	}
	mv.writeBytes(ref, at, b)
}

// maxFile is how many bytes dump and restore copy at most.
const maxFile = 16 << 20

func (mv *memoryView) cmdDump(a args) {
	w := strings.Fields(a.text)
	if len(w) > 0 && strings.HasPrefix("memory", w[0]) {
		w = w[1:]
	}
	if len(w) != 3 {
		mv.failf("dump needs a file and two addresses, as in dump memory FILE START END")
		return
	}
	if !mv.standing() {
		return
	}
	ref, from, err := mv.address(w[1])
	var to uint64
	if err == nil {
		to, err = mv.number(w[2])
	}
	if err == nil && (to <= from || to-from > maxFile) {
		err = fmt.Errorf("the range must have 1 to %d bytes", maxFile)
	}
	if err != nil {
		mv.fail(err)
		return
	}
	var b godap.ReadMemoryResponseBody
	if !mv.request(
		"readMemory", godap.ReadMemoryArguments{MemoryReference: ref, Offset: int(from), Count: int(to - from)},
		&b,
	) {
		return
	}
	if b.UnreadableBytes > 0 {
		mv.failf("%d bytes are past the end of memory", b.UnreadableBytes)
		return
	}
	bytes, err := base64.StdEncoding.DecodeString(b.Data)
	if err == nil {
		err = os.WriteFile(mv.path(w[0]), bytes, 0o666)
	}
	if err != nil {
		mv.fail(err)
		return
	}
	mv.printf("%d bytes written to %s\n", len(bytes), w[0])
}

func (mv *memoryView) cmdRestore(a args) {
	w := strings.Fields(a.text)
	if len(w) == 3 && w[1] == "binary" { // gdb's form
		w = []string{w[0], w[2]}
	}
	if len(w) != 2 {
		mv.failf("restore needs a file and an address, as in restore FILE ADDRESS")
		return
	}
	if !mv.standing() {
		return
	}
	info, err := os.Stat(mv.path(w[0]))
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", w[0])
	case info.Size() > maxFile:
		err = fmt.Errorf("%s has more than %d bytes", w[0], maxFile)
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(mv.path(w[0]))
	}
	ref, at := "", uint64(0)
	if err == nil {
		ref, at, err = mv.address(w[1])
	}
	if err != nil {
		mv.fail(err)
		return
	}
	mv.writeBytes(ref, at, b)
}

// examineCode is x/i.
func (mv *memoryView) examineCode(text string, n int) {
	x := &mv.examined
	at, skip := x.code, 0
	var err error
	if text != "" {
		at, err = mv.code.codeAt(text)
	} else if at == "" {
		at, err = mv.code.codeAt("")
	}
	var code []instruction
	if err == nil {
		code, err = mv.code.disassembleFrom(at, skip, n+1)
	}
	if err == nil && len(code) == 0 {
		err = errors.New("there is no code at this address")
	}
	if err != nil {
		mv.fail(err)
		return
	}
	mv.code.instructions(code[:min(n, len(code))], false)
	*x = examined{any: true, code: code[len(code)-1].Address}
}

package termdbg

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"
)

// lister shows lines of the sources, and reads places.
type lister struct {
	*target
	breaks *breakTable
	listed span                // lines that `list` showed last
	texts  map[string][]string // the lines of each source
}

func (ls *lister) commands() []cmd {
	return []cmd{{
		name: "list", aliases: []string{"l", "ls"}, group: files, args: "[PLACE | FROM,TO | -]",
		short: "show the source", again: true, serves: []string{"source"}, words: placeWords,
		run: ls.cmdList,
	}, {
		name: "view", group: files, args: "[source | wat] [all]", short: "show the source of a function, or its text format",
		long:   "Without arguments the other view is shown. all applies to all functions.",
		serves: []string{"stackscope/view"}, words: viewWords, run: ls.cmdView,
	}}
}

// cmdView shows the function of the frame, or all, in another view.
func (ls *lister) cmdView(a args) {
	v := map[string]any{"frameId": ls.frameID()}
	for _, w := range strings.Fields(a.text) {
		w, err := choose("view", w, []string{"all", "source", "wat"})
		switch {
		case err != nil:
			ls.fail(err)
			return
		case w == "all":
			delete(v, "frameId")
		default:
			v["view"] = w
		}
	}
	if !ls.standing() {
		return
	}
	var b struct {
		View     string `json:"view"`
		Function string `json:"function"`
	}
	if !ls.request("stackscope/view", v, &b) {
		return
	}
	at, of := ls.at, "all functions"
	if b.Function != "" {
		of = b.Function
	}
	ls.loadFrames(len(ls.frames))
	if at < len(ls.frames) && ls.frames[at].PresentationHint != "label" {
		ls.at = at
	}
	ls.listed = span{}
	ls.printf("view of %s: %s\n", of, b.View)
	ls.showLine()
}

// span is a range of lines, counted from 1; last is the last one.
type span struct{ first, last int }

// text returns the lines of a source.
func (ls *lister) text(s *godap.Source) []string {
	if s == nil {
		return nil
	}
	key := sourceKey(s)
	if l, ok := ls.texts[key]; ok {
		return l
	}
	var b godap.SourceResponseBody
	if ls.ask("source", godap.SourceArguments{Source: s, SourceReference: s.SourceReference}, &b) != nil {
		// A script without a text module is not a source of the adapter, but a file.
		info, err := os.Stat(s.Path)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			return nil
		}
		content, err := os.ReadFile(s.Path)
		if err != nil {
			return nil
		}
		b.Content = string(content)
	}
	content := strings.TrimSuffix(strings.ReplaceAll(b.Content, "\r\n", "\n"), "\n")
	lines := strings.Split(content, "\n")
	if ls.texts == nil {
		ls.texts = map[string][]string{}
	}
	ls.texts[key] = lines
	return lines
}

// showInstruction prints the instruction of the selected frame, if that is shown in its source.
func (ls *lister) showInstruction() {
	f := ls.frame()
	if f == nil || f.InstructionPointerReference == "" || !inSource(f.Source) {
		return
	}
	var b godap.DisassembleResponseBody
	a := godap.DisassembleArguments{MemoryReference: f.InstructionPointerReference, InstructionCount: 1}
	if ls.ask("disassemble", a, &b) == nil && len(b.Instructions) == 1 {
		x := b.Instructions[0]
		ls.printf("  %s  %s\n", ls.paint("2", x.Address), strings.TrimSpace(x.Instruction))
	}
}

// inSource reports whether a source is not in the text format.
func inSource(s *godap.Source) bool {
	if s == nil || strings.HasSuffix(s.Name, " (text)") {
		return false
	}
	ext := filepath.Ext(s.Name)
	return ext != ".wat" && ext != ".wast" && ext != ".wasm"
}

// sourceLine returns a line of source with its place, "" for the text format.
func (ls *lister) sourceLine(s *godap.Source, line int) string {
	if !inSource(s) {
		return ""
	}
	lines := ls.text(s)
	if line < 1 || line > len(lines) {
		return ""
	}
	text, _ := window(lines[line-1], 0)
	return fmt.Sprintf("%s:%d %s", ls.name(s), line, text)
}

// maxShown is how many characters of a line are shown.
const maxShown = 400

// showLine prints the line of the selected frame, with a caret line below it unless the place is
// the whole line.
func (ls *lister) showLine() {
	f := ls.frame()
	if f == nil || f.Source == nil {
		return
	}
	lines := ls.text(f.Source)
	if f.Line < 1 || f.Line > len(lines) {
		return
	}
	line, caret := lines[f.Line-1], ""
	first, last := runeColumn(line, f.Column), len([]rune(line))
	if f.EndLine == f.Line {
		last = runeColumn(line, f.EndColumn)
	}
	text, from := window(line, first)
	if begin := len(line) - len(strings.TrimLeft(line, " \t")); first > begin ||
		f.EndLine == f.Line && strings.Trim(string([]rune(line)[min(last, len([]rune(line))):]), " \t)") != "" {
		caret = carets(text, first-from, last-from)
	}
	ls.printf("%s %s\n", ls.paint("36", fmt.Sprintf("→ %4d", f.Line)), text)
	if strings.TrimSpace(caret) != "" {
		ls.printf("       %s\n", ls.paint("36", caret))
	}
}

// runeColumn returns the index in runes of a column in UTF-16 units, counted from 1.
func runeColumn(line string, col int) int {
	n, units := 0, 1
	for _, r := range line {
		if units >= col {
			break
		}
		if units++; r > 0xffff {
			units++
		}
		n++
	}
	return n
}

// window returns the part of a line around a column that is shown, and the index of its first rune.
func window(line string, col int) (string, int) {
	r := []rune(line)
	if len(r) <= maxShown {
		return line, 0
	}
	from := max(0, col-maxShown/2)
	return string(r[from:min(len(r), from+maxShown)]), from
}

// carets returns a line of carets below the runes from first up to last, exclusive.
func carets(line string, first, last int) string {
	var b strings.Builder
	n := 0
	for _, r := range line {
		switch {
		case n >= first && n >= last && n > first:
			return b.String()
		case n == first:
			b.WriteByte('^')
		case n > first:
			b.WriteByte('~')
		case r == '\t':
			b.WriteByte('\t')
		default:
			b.WriteByte(' ')
		}
		n++
	}
	return b.String()
}

// cmdList shows lines: those around a place, a range, or what follows or precedes the lines shown
// last.
func (ls *lister) cmdList(a args) {
	const n = 11
	src := ls.current()
	if ls.listed.last > 0 {
		src = ls.source
	}
	switch {
	case a.text == "-" && ls.listed.last > 0 && ls.listed.first <= 1:
		ls.failf("line 1 was already shown")
		return
	case a.text == "-" && ls.listed.last > 0:
		ls.list(src, max(1, ls.listed.first-n), ls.listed.first-1)
		return
	case a.text == "" && ls.listed.last > 0:
		ls.list(src, ls.listed.last+1, ls.listed.last+n)
		return
	case a.text == "" || a.text == "-":
		ls.around(src, max(ls.currentLine(), 1), n)
		return
	}
	if from, to, ok := strings.Cut(a.text, ","); ok {
		p, err := ls.place(from)
		if err != nil {
			ls.fail(err)
			return
		}
		if p, err = ls.breaks.resolve(p); err != nil {
			ls.fail(err)
			return
		}
		last := p.line + n - 1
		if to = strings.TrimSpace(to); to != "" {
			x, err := strconv.Atoi(to)
			if err != nil || x < p.line {
				ls.failf("%q is not a line at or below line %d", to, p.line)
				return
			}
			last = x
		}
		ls.list(p.src, p.line, last)
		return
	}
	p, err := ls.place(a.text)
	if err == nil {
		p, err = ls.breaks.resolve(p)
	}
	if err != nil {
		ls.fail(err)
		return
	}
	ls.around(p.src, p.line, n)
}

// around shows n lines around a line.
func (ls *lister) around(s *godap.Source, line, n int) {
	first := max(1, line-n/2)
	ls.list(s, first, first+n-1)
}

// list shows the lines of a range.
func (ls *lister) list(s *godap.Source, first, last int) {
	lines := ls.text(s)
	switch {
	case len(lines) == 0:
		ls.failf("there is no source")
		return
	case first > len(lines) || last < 1:
		ls.failf("%s has %d lines", ls.name(s), len(lines))
		return
	}
	ls.source = s
	first, last = max(1, first), min(last, len(lines))
	cur := 0
	if f := ls.frame(); f != nil && sourceKey(f.Source) == sourceKey(s) {
		cur = f.Line
	}
	for i := first; i <= last && !ls.interrupted; i++ {
		mark := " "
		if ls.breaks.breakAt(s, i) {
			mark = ls.paint("31", "●")
		}
		num := fmt.Sprintf("%4d", i)
		if i == cur {
			num = ls.paint("36", "→"+num)
		} else {
			num = " " + num
		}
		text, _ := window(lines[i-1], 0)
		ls.printf("%s%s %s\n", mark, num, text)
	}
	ls.listed = span{first, last}
}

// place is a place as the user names it.
type place struct {
	src       *godap.Source // of a line
	line, col int
	fn        string // a function or tag
	code      string // an address of code
}

// sourceKey returns a key that identifies a source.
func sourceKey(s *godap.Source) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d %s", s.SourceReference, s.Path)
}

// current returns the source of lines without a file name.
func (ls *lister) current() *godap.Source {
	if f := ls.frame(); f != nil && f.Source != nil {
		return f.Source
	}
	if ls.source != nil {
		return ls.source
	}
	path := ls.launch.Program
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &godap.Source{Path: path}
}

// currentLine returns the line that +N and -N count from.
func (ls *lister) currentLine() int {
	if f := ls.frame(); f != nil {
		return f.Line
	}
	return ls.listed.first
}

// place reads LINE, LINE:COL, FILE:LINE[:COL], +N, -N, *ADDRESS or the name of a function. Numbers
// alone refer to the current file; "" is the current place.
func (ls *lister) place(s string) (place, error) {
	s = strings.TrimSpace(s)
	switch {
	case s == "" || s == ".":
		f := ls.frame()
		if f == nil || f.Source == nil {
			return place{}, errors.New("there is no current place: specify a line, FILE:LINE or $FUNC")
		}
		return place{src: f.Source, line: f.Line, col: f.Column}, nil
	case s[0] == '*':
		code, err := ls.codeAddress(s[1:])
		return place{code: code}, err
	case s[0] == '+' || s[0] == '-':
		n, err := strconv.Atoi(s)
		line := ls.currentLine() + n
		if err != nil || line < 1 {
			return place{}, fmt.Errorf("%q is not a line of the current file", s)
		}
		return place{src: ls.current(), line: line}, nil
	}
	file, nums := trailingNumbers(s)
	switch {
	case len(nums) == 0:
		if tag, ok := strings.CutPrefix(s, "on "); ok && len(strings.Fields(tag)) == 1 {
			return place{fn: "on " + strings.TrimSpace(tag)}, nil
		}
		bare := strings.ReplaceAll(s, "::", "") // `geo::Town::road`, `smaller<unsigned int>`, `operator new(int)`
		if strings.Contains(bare, ":") || strings.ContainsAny(bare, " \t") && !strings.ContainsAny(bare, "<(") {
			return place{}, fmt.Errorf("%q is not a place: use LINE, LINE:COL, FILE:LINE[:COL], FUNCTION or *ADDRESS", s)
		}
		return place{fn: strings.Trim(s, `"`)}, nil
	case nums[0] < 1 || len(nums) > 1 && nums[1] < 1:
		return place{}, errors.New("lines and columns start at 1")
	}
	p := place{src: ls.current(), line: nums[0]}
	if len(nums) > 1 {
		p.col = nums[1]
	}
	if file != "" {
		p.src = ls.sourceNamed(file)
	}
	return p, nil
}

// trailingNumbers splits up to two numbers from the end of FILE:LINE:COL.
func trailingNumbers(s string) (file string, nums []int) {
	parts := strings.Split(s, ":")
	for len(parts) > 0 && len(nums) < 2 {
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil {
			break
		}
		nums = append([]int{n}, nums...)
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, ":"), nums
}

// sourceNamed returns the source of the program with a path, the end of a path, or a name; else the
// file with that path, which may become part of the program.
func (ls *lister) sourceNamed(file string) *godap.Source {
	abs := file
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(ls.cwd, file)
	}
	var b godap.LoadedSourcesResponseBody
	_ = ls.ask("loadedSources", godap.LoadedSourcesArguments{}, &b)
	tail := "/" + strings.TrimPrefix(filepath.ToSlash(filepath.Clean(file)), "./")
	for _, same := range []func(s *godap.Source) bool{
		func(s *godap.Source) bool { return s.Path == abs },
		func(s *godap.Source) bool { return strings.HasSuffix(filepath.ToSlash(s.Path), tail) },
		func(s *godap.Source) bool {
			name := strings.TrimSuffix(s.Name, " (text)")
			return s.Path == "" && (name == filepath.Base(file) || s.Name == file)
		},
	} {
		for i := range b.Sources {
			if s := &b.Sources[i]; same(s) {
				s.Checksums = nil
				return s
			}
		}
	}
	return &godap.Source{Path: abs}
}

// codeAddress parses a code address: a number, or $pc.
func (ls *lister) codeAddress(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "$pc" || s == "pc" {
		f := ls.frame()
		if f == nil || f.InstructionPointerReference == "" {
			return "", errors.New("this frame has no code address")
		}
		return f.InstructionPointerReference, nil
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil || n>>32 == 0 {
		return "", fmt.Errorf("%q is not a code address: use $pc, or an address that disassemble shows", s)
	}
	return fmt.Sprintf("0x%x", n), nil
}

package mutate

import (
	"math/rand/v2"
	"strings"
)

// Pool holds the texts that mutations take parts from.
type Pool struct{ seeds []*seed }

// seed is a text with its tokens and its balanced parts.
type seed struct {
	text   string
	tokens [][2]int
	parts  [][2]int // from a parenthesis to the one that closes it
}

// NewPool returns a pool of seeds. There must be one.
func NewPool(texts []string) *Pool {
	p := &Pool{}
	for _, t := range texts {
		p.seeds = append(p.seeds, scan(t))
	}
	return p
}

// Len returns the number of seeds.
func (p *Pool) Len() int { return len(p.seeds) }

// Seed returns a random seed.
func (p *Pool) Seed(r *rand.Rand) string { return p.seeds[r.IntN(len(p.seeds))].text }

// scan finds the tokens and balanced parts of a text.
func scan(text string) *seed {
	s := &seed{text: text}
	var open []int
	for i := 0; i < len(text); {
		from := i
		switch c := text[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
			continue
		case strings.HasPrefix(text[i:], ";;"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case c == '(':
			i++
			open = append(open, from)
		case c == ')':
			i++
			if n := len(open); n > 0 {
				s.parts = append(s.parts, [2]int{open[n-1], i})
				open = open[:n-1]
			}
		case c == '"':
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i = min(i+1, len(text))
		default:
			for i++; i < len(text) && strings.IndexByte(" \n\t\r();\"", text[i]) < 0; {
				i++
			}
		}
		s.tokens = append(s.tokens, [2]int{from, i})
	}
	return s
}

// snippets are texts that people type, and texts that break trees.
var snippets = []string{
	"(", ")", "$", "\"", ";;", "(;", ";)", "\n", " ", "(func", "(func $f (param i32)",
	"(resume $ct (on $yield ", " end ", "block $l ", "(local.get 0)", "i32.const 1 ", "$x ",
	"(type $t (cont $t))", "(module", "(assert_invalid (module", "é", "𝄞", "\r\n", "\r", "\x00",
	"(suspend $yield)", "0x", "-1", "(@a", "(rec ", "(on $yield switch)", "(param $", "unreachable ", "br 99 ",
	"if ", "else ", "(then", "(elem declare func ", "(export \"f\")", "\xff", "\xe2\x80", "\u202e",
	"(@name \"x\")", "(import \"a\" \"b\" (func))", "(try_table (catch $e 0) ", "(catch_all 0)", "(type 0)",
	"(result i32)", "(ref null $", "handle ", "(event $e ", "(@stack-switching \"tasks\")", "(local $x i32)",
	"(field $f (mut i32))", "(sub $t ", "1e999", "nan:0x1",
}

// numbers are numbers at the limits.
var numbers = []string{
	"0", "-1", "1", "255", "65536", "2147483648", "4294967295", "4294967296", "18446744073709551615",
	"18446744073709551616", "-9223372036854775809", "0x1p-1074", "1e400", "nan", "-inf",
	"99999999999999999999999",
}

// Mutate returns a text with one change.
func (p *Pool) Mutate(r *rand.Rand, text string) string {
	if text == "" {
		return p.Seed(r)
	}
	splice := func(at [2]int, s string) string { return text[:at[0]] + s + text[at[1]:] }
	kind := r.IntN(20)
	if kind < 5 { // bytes
		at := r.IntN(len(text) + 1)
		switch kind {
		case 0:
			return splice([2]int{at, min(len(text), at+1)}, string([]byte{byte(r.IntN(256))}))
		case 1:
			return splice([2]int{at, min(len(text), at+1+r.IntN(3))}, "")
		case 2:
			return splice([2]int{at, min(len(text), at+r.IntN(60))}, "")
		case 3:
			return splice([2]int{at, at}, snippets[r.IntN(len(snippets))])
		}
		return text[:at]
	}
	s := scan(text)
	other := p.seeds[r.IntN(len(p.seeds))]
	if r.IntN(2) == 0 {
		other = s
	}
	pick := func(list [][2]int) ([2]int, bool) {
		if len(list) == 0 {
			return [2]int{}, false
		}
		return list[r.IntN(len(list))], true
	}
	from := func(x *seed, at [2]int) string { return x.text[at[0]:at[1]] }
	if kind < 12 { // tokens
		at, ok := pick(s.tokens)
		x, has := pick(other.tokens)
		if !ok || !has {
			return splice([2]int{0, 0}, snippets[r.IntN(len(snippets))])
		}
		switch kind {
		case 5:
			return splice(at, "")
		case 6:
			return splice(at, from(s, at)+" "+from(s, at))
		case 7, 8:
			return splice(at, from(other, x))
		case 9:
			return splice(at, numbers[r.IntN(len(numbers))])
		case 10:
			return splice(at, snippets[r.IntN(len(snippets))])
		}
		return splice([2]int{at[0], at[0]}, from(other, x)+" ")
	}
	at, ok := pick(s.parts)
	x, has := pick(other.parts)
	if !ok || !has {
		return text + snippets[r.IntN(len(snippets))]
	}
	switch kind {
	case 12:
		return splice(at, "")
	case 13:
		return splice(at, from(s, at)+" "+from(s, at))
	case 14, 15, 16:
		return splice(at, from(other, x))
	case 17:
		return splice(at, "(block "+from(s, at)+")")
	case 18:
		return splice(at, text[at[0]+1:at[1]-1])
	}
	return splice([2]int{at[1], at[1]}, "\n"+from(other, x))
}

// Small returns a text of a few hundred bytes to some kilobytes: one seed or a few of them.
func (p *Pool) Small(r *rand.Rand) string {
	text := p.Seed(r)
	for r.IntN(4) == 0 {
		text += "\n" + p.Seed(r)
	}
	switch r.IntN(24) {
	case 0:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		text = strings.ReplaceAll(text, "\n", "\r")
	case 2:
		text = strings.ReplaceAll(text, "\n", " ")
	}
	return text
}

// Parts returns the outermost parenthesised parts of a text, such as the commands of a script.
func Parts(text string) []string {
	var out []string
	end := 0
	parts := scan(text).parts
	for i := len(parts) - 1; i >= 0; i-- { // a part comes after those inside it
		if len(out) == 0 || parts[i][1] <= end {
			out = append(out, text[parts[i][0]:parts[i][1]])
			end = parts[i][0]
		}
	}
	return out
}

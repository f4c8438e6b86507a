package symbols

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Skip is which code is folded, and passed by steps: patterns of paths, in order, of which the
// last that matches counts.
type Skip struct {
	rules   []skipRule
	runtime bool
}

type skipRule struct {
	match *regexp.Regexp
	not   bool
}

// runtimeFiles are the patterns of the files of standard libraries and runtimes.
//
//go:embed runtime.txt
var runtimeFiles string

// runtimeRules are the rules of runtimeFiles.
var runtimeRules = sync.OnceValue(func() (out []skipRule) {
	for line := range strings.Lines(runtimeFiles) {
		if p := strings.TrimSpace(line); p != "" && p[0] != '#' {
			if re, err := glob(p); err == nil { // a test says that all are well formed
				out = append(out, skipRule{match: re})
			}
		}
	}
	return out
})

// RuntimePattern is the pattern for what the user has not written: functions that are known to be of
// the runtime of a language, those without lines in a module with debugging information, and the
// files that runtime.txt lists. They are skipped unless the pattern is negated.
const RuntimePattern = "<runtime>"

// NewSkip reads patterns as `skipFiles` of VS Code has them: `**` is any path, `*` anything but a
// slash, `?` a character, `[…]` a character of several, `{a,b}` alternatives; `!` in front negates. A
// pattern that does not begin with `/` or `**` may match from any directory on. The error is about
// the first pattern that is malformed; the others count.
func NewSkip(patterns []string) (skip *Skip, err error) {
	s := &Skip{runtime: true}
	for _, p := range patterns {
		rest, not := strings.CutPrefix(strings.TrimSpace(p), "!")
		if rest == RuntimePattern {
			s.runtime = !not
			continue
		}
		re, problem := glob(filepath.ToSlash(rest))
		switch {
		case problem == nil:
			s.rules = append(s.rules, skipRule{re, not})
		case err == nil:
			err = fmt.Errorf("%q: %w", p, problem)
		}
	}
	return s, err
}

// Runtime reports whether functions that the user has not written are folded.
func (s *Skip) Runtime() bool { return s.runtime }

// Match reports whether a file is skipped that has some paths. ignored is what holds if no pattern
// matches.
func (s *Skip) Match(ignored bool, paths ...string) bool {
	matches := func(r skipRule) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return r.match.MatchString(filepath.ToSlash(p)) })
	}
	for _, r := range slices.Backward(s.rules) {
		if matches(r) {
			return !r.not
		}
	}
	return ignored || s.runtime && slices.ContainsFunc(runtimeRules(), matches)
}

// glob compiles a pattern.
func glob(p string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString(`^`)
	absolute := strings.HasPrefix(p, "/") || strings.HasPrefix(p, "**") || len(p) > 1 && p[1] == ':'
	if !absolute {
		b.WriteString(`(?:.*/)?`)
	}
	depth := 0
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '*':
			switch {
			case strings.HasPrefix(p[i:], "**/"):
				b.WriteString(`(?:.*/)?`)
				i += 2
			case strings.HasPrefix(p[i:], "**"):
				b.WriteString(`.*`)
				i++
			default:
				b.WriteString(`[^/]*`)
			}
		case '?':
			b.WriteString(`[^/]`)
		case '{':
			depth++
			b.WriteString(`(?:`)
		case '}':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("a } without a {")
			}
			b.WriteString(`)`)
		case ',':
			if depth > 0 {
				b.WriteString(`|`)
			} else {
				b.WriteString(`,`)
			}
		case '[':
			end := strings.IndexByte(p[i:], ']')
			if end < 2 {
				return nil, fmt.Errorf("a [ without a ]")
			}
			set := p[i+1 : i+end]
			if set[0] == '!' {
				set = "^" + set[1:]
			}
			b.WriteString(`[` + strings.ReplaceAll(set, `\`, `\\`) + `]`)
			i += end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	if depth != 0 {
		return nil, fmt.Errorf("a { without a }")
	}
	if strings.HasSuffix(p, "/") {
		b.WriteString(`.*`)
	}
	b.WriteString(`$`)
	return regexp.Compile(b.String())
}

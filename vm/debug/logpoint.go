package debug

import (
	"fmt"
	"strings"

	"stackscope/vm"
)

type logPart struct {
	text string
	expr bool
}

func (e *Engine) logText(f *vm.Frame, parts []logPart) string {
	var b strings.Builder
	for _, p := range parts {
		if !p.expr {
			b.WriteString(p.text)
			continue
		}
		vs, err := e.evaluate(f, p.text)
		if err != nil {
			fmt.Fprintf(&b, "{%s: %v}", p.text, err)
			continue
		}
		for i, v := range vs {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(e.Format(v.Value, false))
		}
	}
	return b.String()
}

// parseLog splits a log message at its {expressions}. `{{` and `}}` stand for braces.
func parseLog(s string) ([]logPart, error) {
	var out []logPart
	var text strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "{{"), strings.HasPrefix(s[i:], "}}"):
			text.WriteByte(s[i])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				return nil, fmt.Errorf("log message: { without }")
			}
			if text.Len() > 0 {
				out = append(out, logPart{text: text.String()})
				text.Reset()
			}
			out = append(out, logPart{text: strings.TrimSpace(s[i+1 : i+end]), expr: true})
			i += end
		default:
			text.WriteByte(s[i])
		}
	}
	if text.Len() > 0 {
		out = append(out, logPart{text: text.String()})
	}
	return out, nil
}

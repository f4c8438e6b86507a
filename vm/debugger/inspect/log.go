package inspect

import (
	"fmt"
	"strings"

	"stackscope/vm"
	"stackscope/vm/debugger/snapshot"
)

type LogPart struct {
	Text string
	Expr bool
}

func (ev *Evaluator) LogText(f *vm.Frame, parts []LogPart) string {
	var b strings.Builder
	for _, p := range parts {
		if !p.Expr {
			b.WriteString(p.Text)
			continue
		}
		text, err := ev.logged(ev.insp.frame(f, true), p.Text)
		if err != nil {
			fmt.Fprintf(&b, "{%s: %v}", p.Text, err)
			continue
		}
		b.WriteString(text)
	}
	return b.String()
}

// logged evaluates what stands in the braces of a log message, as a watch would.
func (ev *Evaluator) logged(f Frame, text string) (string, error) {
	text, format, formatted := CutFormat(text)
	vs, err := ev.Eval(f, text, MayCall)
	if err != nil {
		return "", err
	}
	out := make([]string, len(vs))
	for i, v := range vs {
		if out[i] = ev.insp.Show(v, false); formatted {
			if out[i], err = ev.insp.Formatted(f, v, format); err != nil {
				return "", err
			}
		}
	}
	return strings.Join(out, " "), nil
}

// CheckLog reports what is wrong with an expression of a log message, as far as that can be told
// before it is evaluated at an instruction.
func (ev *Evaluator) CheckLog(id snapshot.FuncID, pc int, text string) error {
	text, _, _ = CutFormat(text)
	_, handled, bad := ev.insp.src.check(id, pc, text)
	if handled && bad == nil {
		return nil
	}
	if _, _, ok := splitAssignment(text); ok {
		return errNoAssignment
	}
	x, err := ev.parse(ev.sym.FunctionOf(id), text)
	if err == nil {
		_, err = ev.compileExpr(id, x)
	}
	if err != nil && bad != nil {
		return bad
	}
	return err
}

// ParseLog splits a log message at its {expressions}. `{{` and `}}` stand for braces.
func ParseLog(s string) ([]LogPart, error) {
	var out []LogPart
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
				out = append(out, LogPart{Text: text.String()})
				text.Reset()
			}
			out = append(out, LogPart{Text: strings.TrimSpace(s[i+1 : i+end]), Expr: true})
			i += end
		default:
			text.WriteByte(s[i])
		}
	}
	if text.Len() > 0 {
		out = append(out, LogPart{Text: text.String()})
	}
	return out, nil
}

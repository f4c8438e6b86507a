package ide

import (
	"stackscope/analysis"
	"stackscope/analysis/source"
	"stackscope/analysis/syntax"
)

// ScriptLens is a command of a script over which an editor offers to run it.
type ScriptLens struct {
	Span  source.Span // its keyword
	Debug bool        // it runs code
}

// maxScriptLenses bounds the lenses of one script.
const maxScriptLenses = 2000

// ScriptLenses returns the commands of a script that call a function or read a global, the first of
// very many.
func ScriptLenses(s *analysis.Snapshot) []ScriptLens {
	var out []ScriptLens
	t := s.Tree()
	for i := range t.Units {
		if t.Units[i].Kind != syntax.UnitCommand {
			continue
		}
		root := t.Root(i)
		if root.Kind() != syntax.KCommand {
			continue
		}
		action := root.First(syntax.KAction)
		if action.IsZero() {
			action = root
		}
		switch action.Keyword().Text() {
		case "invoke":
			out = append(out, ScriptLens{root.Keyword().Span(), true})
		case "get":
			out = append(out, ScriptLens{root.Keyword().Span(), false})
		}
		if len(out) == maxScriptLenses {
			break
		}
	}
	return out
}

package lang

type Printers struct{}
type printer struct {
	As, Deref string
	Holds     bool
}

func (p *printer) Raw() bool { return true }

type match struct{ p *printer }
type Managed struct{}

func (m *match) hasItems() bool                                   { return false }
func (m *match) hasNamed() bool                                   { return false }
func (m *match) keyed() bool                                      { return false }
func (v Value) match() *match                                     { return nil }
func (w *writer) printed(v Value, m *match, depth int) bool       { return false }
func (v Value) printedNamed(m *match) []Child                     { return nil }
func (v Value) printedCount(m *match) int                         { return 0 }
func (v Value) printedPage(m *match, from, n int) []Child         { return nil }
func (v Value) printedMember(m *match, name string) (Value, bool) { return v, false }
func (v Value) printedText(m *match, most int) (string, bool)     { return "", false }
func (v Value) printedExpr(m *match, e string) (Value, error)     { return v, nil }
func (v Value) shownAs(m *match) (Value, error)                   { return v, nil }

package main

import (
	"stackscope/analysis/debuginfo/sources"
	"stackscope/dap/config"
	"stackscope/internal/cli"
	"stackscope/internal/loader"
	"stackscope/vm/debugger"
	"stackscope/vm/debugger/symbols"
)

// sourceFlags are the flags about the sources of compiled programs.
type sourceFlags struct {
	rules    []config.Rule
	paths    []string
	skip     []string
	printers []string
	view     string
}

func (s *sourceFlags) table() []cli.Flag {
	return []cli.Flag{
		{
			Name: "source-map", Arg: "FROM=TO", Many: true,
			Usage: "look for sources whose recorded path begins with FROM below TO",
			Value: func(v string) error {
				r, err := config.ParseRule(v)
				s.rules = append(s.rules, r)
				return err
			},
		},
		{
			Name: "source-path", Arg: "DIR", Many: true, Value: cli.Strings(&s.paths),
			Usage: "look for sources in DIR, too",
		},
		{
			Name: "skip", Arg: "GLOB", Many: true,
			Value: func(v string) error {
				s.skip = append(s.skip, v)
				_, err := symbols.NewSkip([]string{v})
				return err
			},
			Usage: "pass by sources that match GLOB in steps and fold their frames; !GLOB does not, " +
				"<runtime> is the language's runtime",
		},
		{
			Name: "printers", Arg: "FILE", Many: true, Value: cli.Strings(&s.printers),
			Usage: "read printers of library types from FILE",
		},
		{
			Name: "view", Arg: "VIEW", Default: "source", Value: cli.Choice(&s.view, "source", "wat"),
			Usage: "show compiled functions in their source, or in the text format (wat)",
		},
	}
}

// launch writes the flags into a launch configuration.
func (s *sourceFlags) launch(l *config.Launch) {
	for _, r := range s.rules {
		l.SourceMap = append(l.SourceMap, config.Rule{From: r.From, To: absolute(r.To)})
	}
	for _, p := range s.paths {
		l.SourcePaths = append(l.SourcePaths, absolute(p))
	}
	for _, p := range s.printers {
		l.Printers = append(l.Printers, absolute(p))
	}
	l.SkipFiles, l.View = s.skip, s.view
}

// find writes where sources are into the configuration of a program.
func (s *sourceFlags) find(c *loader.Config) {
	for _, r := range s.rules {
		c.Sources.Rules = append(c.Sources.Rules, sources.Rule{From: r.From, To: r.To})
	}
	c.Sources.Dirs = append(c.Sources.Dirs, s.paths...)
}

// show writes how sources are shown into a program. The error is about a file of printers.
func (s *sourceFlags) show(p *debugger.Program) error {
	p.Skip, p.Printers, p.WAT = s.skip, s.printers, s.view == "wat"
	return debugger.CheckPrinters(p.Printers)
}

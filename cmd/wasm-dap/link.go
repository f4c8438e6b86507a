package main

import (
	"stackscope/internal/cli"
	"stackscope/internal/loader"
)

// linkFlags are the flags that say what is linked with a program.
type linkFlags struct{ imports, hosts []loader.Import }

func (l *linkFlags) table() []cli.Flag {
	add := func(to *[]loader.Import, parse func(string) (loader.Import, error)) func(string) error {
		return func(s string) error {
			im, err := parse(s)
			*to = append(*to, im)
			return err
		}
	}
	return []cli.Flag{
		{
			Name: "import", Arg: "NAME=FILE", Many: true, Value: add(&l.imports, loader.ParseImport),
			Usage: "link FILE as import module NAME",
		},
		{
			Name: "host", Arg: "[NAME=]FILE", Many: true, Value: add(&l.hosts, loader.ParseHost),
			Usage: "let FILE offer imports: JavaScript that a compiler has emitted, or the exports of " +
				"a WebAssembly or JavaScript module as import module NAME",
		},
	}
}

// set writes the flags into the configuration of a program.
func (l *linkFlags) set(c *loader.Config) { c.Imports, c.Hosts = l.imports, l.hosts }

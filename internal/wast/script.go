package wast

import (
	"stackscope/analysis/source"
)

// Script is a script: its commands in order.
type Script struct {
	File     *source.File
	Commands []*Command
}

// Kind is the keyword of a command: "module", "register", "invoke", "get", "assert_return" …
type Kind string

// Command is a command of a script.
type Command struct {
	Kind    Kind
	Span    source.Span // the whole command
	Module  *Module     // module, and assertions about one
	Action  *Action     // invoke, get, and assertions about one
	Want    []Pattern   // assert_return: the results
	Message string      // expected start of the message of an assertion
	Name    string      // register: under which name; input: the file
	Of      string      // register: which module, without `$`; "": the last one; input: what to call it
	Err     string      // why the command cannot run; "" if it can
	Drive   *Drive      // of a drive script; nil in others
}

// Form is how a module is written in a script.
type Form uint8

// The forms.
const (
	FormText     Form = iota // (module …)
	FormQuote                // (module quote "…")
	FormBinary               // (module binary "…")
	FormInstance             // (module instance $i $m)
)

// Module is a module in a script.
type Module struct {
	Span       source.Span
	Form       Form
	Name       string // without `$`; "" if it has none
	Definition bool   // only defined, for (module instance …)
	Of         string // FormInstance: the definition; "": the last one
	Bytes      []byte // FormQuote: the text; FormBinary: the bytes
}

// Action is a call of an exported function, or a read of an exported global.
type Action struct {
	Span   source.Span
	Get    bool
	Await  string // of a drive script: the promise that is awaited, without `$`; "": it is no await
	Module string // without `$`; "": the last one
	Export string
	Args   []Const
}

// Const is an argument.
type Const struct {
	Span    source.Span
	Pattern // one that is a value
}

package diag

// The codes that the text gives; those of the validator (wasm/valid.Code) are in the table under
// the same name. Rows are only ever added; a code that went out of use keeps its row.
const (
	Syntax         Code = "syntax"          // malformed text
	UnknownWord    Code = "unknown-word"    // a mnemonic or type that is not in any table
	Immediate      Code = "immediate"       // an immediate is missing, of the wrong kind, or too many
	Number         Code = "number"          // a constant out of range
	AlignPower     Code = "alignment-power" // an alignment is not a power of two
	InlineType     Code = "inline-type"     // a type use whose parameters are not its type's
	DuplicateName  Code = "duplicate-name"
	ImportOrder    Code = "import-order" // an import after a definition
	MultipleStarts Code = "multiple-starts"
	Dialect        Code = "dialect"      // a construct of another dialect
	DialectName    Code = "dialect-name" // (@stack-switching …) with an unknown name
	Limits         Code = "limits"
	ScriptAssert   Code = "script-assert" // a module that should be wrong, and is not
	ScriptWords    Code = "script-words"  // a module that is wrong in other words than a script expects
	Proposal       Code = "proposal"      // a proposal that is not supported
	Bidi           Code = "bidi"          // characters that change the direction of the text
	Annotation     Code = "annotation"    // a malformed or misplaced annotation
	CustomPlace    Code = "custom-place"  // a custom section beside one that is not there
	Legacy         Code = "legacy"        // deprecated exception handling
	EventSwitch    Code = "event-switch"  // tasks: no event.switch where one must stand
	EventClause    Code = "event-clause"  // fibers-handle: a fiber whose function takes no event
)

// IsMalformed reports whether a code is about text that does not follow the grammar, so that there
// is no module to validate.
func IsMalformed(c Code) bool {
	switch c {
	case Syntax, UnknownWord, Immediate, Number:
		return true
	}
	return false
}

// OfSpec reports whether a code is of the typing engine: a rule of the specification's chapter on
// validation, or of the dialects that follows it.
func OfSpec(c Code) bool {
	for i := range validRows {
		if validRows[i].Code == c {
			return true
		}
	}
	return false
}

package valid

// The codes. Messages begin with the wording of the specification's suite for the case.
const (
	CodeTypeMismatch    Code = "type-mismatch"
	CodeUnknownType     Code = "unknown-type"
	CodeUnknownFunc     Code = "unknown-func"
	CodeUnknownTable    Code = "unknown-table"
	CodeUnknownMemory   Code = "unknown-memory"
	CodeUnknownGlobal   Code = "unknown-global"
	CodeUnknownTag      Code = "unknown-tag"
	CodeUnknownElem     Code = "unknown-elem"
	CodeUnknownData     Code = "unknown-data"
	CodeUnknownLocal    Code = "unknown-local"
	CodeUnknownLabel    Code = "unknown-label"
	CodeUnknownField    Code = "unknown-field"
	CodeTypeKind        Code = "type-kind"        // an index of a type of the wrong kind: "non-continuation type 0"
	CodeUninitialized   Code = "uninitialized"    // "uninitialized local"
	CodeUndeclaredFunc  Code = "undeclared-func"  // "undeclared function reference"
	CodeImmutable       Code = "immutable"        // global, field or array
	CodePacking         Code = "packing"          // get of packed, get_s of unpacked
	CodeNoDefault       Code = "no-default"       // *_default of a type without a default
	CodeAlignment       Code = "alignment"        // "alignment must not be larger than natural"
	CodeOffset          Code = "offset"           // "offset out of range"
	CodeLane            Code = "lane"             // "invalid lane index"
	CodeSelectArity     Code = "select-arity"     // "invalid result arity"
	CodeInvalidCast     Code = "invalid-cast"     // of stack types
	CodeConstExpr       Code = "const-expr"       // "constant expression required"
	CodeHandlerLabel    Code = "handler-label"    // a handler clause's label does not fit; Error.Handler is set
	CodeSwitchTag       Code = "switch-tag"       // "type mismatch in switch tag"
	CodeTagResults      Code = "tag-results"      // "non-empty tag result type"
	CodeSubtyping       Code = "subtyping"        // "sub type"
	CodeLimits          Code = "limits"           // "size minimum must not be greater than maximum", "memory size"
	CodeTableInit       Code = "table-init"       // a table of non-null references without an initialiser
	CodeDuplicateExport Code = "duplicate-export" // "duplicate export name"
	CodeStart           Code = "start"            // "start function"
	CodeDataCount       Code = "data-count"       // "data count section required"
	CodeDialect         Code = "dialect"          // a construct of another dialect
	CodeTooMany         Code = "too-many"         // more than implementations accept
	CodeBlocks          Code = "blocks"           // else, catch, end or rethrow without its block
)

// Codes lists them all, in the order above.
func Codes() []Code {
	return []Code{
		CodeTypeMismatch, CodeUnknownType, CodeUnknownFunc, CodeUnknownTable, CodeUnknownMemory, CodeUnknownGlobal,
		CodeUnknownTag, CodeUnknownElem, CodeUnknownData, CodeUnknownLocal, CodeUnknownLabel, CodeUnknownField,
		CodeTypeKind, CodeUninitialized, CodeUndeclaredFunc, CodeImmutable, CodePacking, CodeNoDefault,
		CodeAlignment, CodeOffset, CodeLane, CodeSelectArity, CodeInvalidCast, CodeConstExpr,
		CodeHandlerLabel, CodeSwitchTag, CodeTagResults, CodeSubtyping, CodeLimits,
		CodeTableInit, CodeDuplicateExport, CodeStart, CodeDataCount, CodeDialect, CodeTooMany, CodeBlocks,
	}
}

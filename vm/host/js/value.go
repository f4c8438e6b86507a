package js

import (
	"math"
	"strconv"

	"stackscope/vm"
)

// Value is a value of JavaScript as the program has it, in an externref: a *String, or another type
// of this package. null is the null reference, and an integer of 31 bits an i31 reference.
type Value interface {
	// JSType returns what typeof says of it.
	JSType() string
	// String returns it as text for people; of a string its very text.
	String() string
}

// undefined is the value undefined.
type undefined struct{}

// JSType returns "undefined".
func (undefined) JSType() string { return "undefined" }

// String returns "undefined".
func (undefined) String() string { return "undefined" }

// Boolean is true or false.
type Boolean bool

// JSType returns "boolean".
func (Boolean) JSType() string { return "boolean" }

// String returns the word.
func (b Boolean) String() string { return strconv.FormatBool(bool(b)) }

// Number is a number that is no integer of 31 bits.
type Number float64

// JSType returns "number".
func (Number) JSType() string { return "number" }

// String returns the number as JavaScript prints it, nearly.
func (n Number) String() string {
	x := float64(n)
	switch {
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	case x == 0 && math.Signbit(x):
		return "-0"
	case x == math.Trunc(x) && math.Abs(x) < 1e21:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// The references that all machines share.
var (
	undefinedRef = vm.HostRef(undefined{})
	trueRef      = vm.HostRef(Boolean(true))
	falseRef     = vm.HostRef(Boolean(false))
)

// TypeOf returns what JavaScript says of a reference that it gets: what typeof says, and "null" of
// null.
func TypeOf(r vm.Ref) string {
	switch r.Kind() {
	case vm.RefNull:
		return "null"
	case vm.RefI31:
		return "number"
	case vm.RefFunc:
		return "function"
	case vm.RefHost:
		x, _ := r.Host()
		if v, ok := x.(Value); ok {
			return v.JSType()
		}
	}
	return "object"
}

package js

import (
	"errors"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// MaxLength is how many code units a string can have, as in V8.
const MaxLength = 1<<29 - 24

// errLength is the error of a string that would be too long.
var errLength = errors.New("invalid string length")

// String is a string of JavaScript: UTF-16 code units, which need not be well-formed. The program
// has it as an externref.
//
// Concatenation makes a node of two strings, whose units are put together when somebody looks at
// them. Then, the units of the left one are not copied if there is room after them: a program that
// appends to a string again and again, and looks at it in between, takes time in proportion to what
// it appends.
type String struct {
	n           int // code units
	left, right *String
	// Of a string that is no node: its units, in bytes if all are ASCII.
	ascii []byte
	wide  []uint16
	room  *room
	seen  uint32 // the last count that has found it, see Count
}

// room is shared by the strings that begin with the same units.
type room struct {
	used int    // of what ascii, or wide, has room for
	seen uint32 // as in String
}

// stringHead is the size of a String without its units, and of the reference to it.
const stringHead = uint64(unsafe.Sizeof(String{})) + 32

// Count returns the bytes of the string, without what it has returned in the same walk before.
func (s *String) Count(walk uint32) uint64 {
	n := uint64(0)
	for todo := []*String{s}; len(todo) > 0; {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t.seen == walk {
			continue
		}
		t.seen = walk
		n += stringHead
		switch {
		case t.left != nil:
			todo = append(todo, t.left, t.right)
		case t.room == nil:
			n += uint64(len(t.ascii) + 2*len(t.wide))
		case t.room.seen != walk:
			t.room.seen = walk
			n += uint64(cap(t.ascii) + 2*cap(t.wide))
		}
	}
	return n
}

var empty = &String{}

// NewString returns a string of a text in UTF-8. Each byte that is not UTF-8 becomes U+FFFD.
func NewString(s string) *String {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return FromUTF16(utf16.Encode([]rune(s)))
		}
	}
	return &String{n: len(s), ascii: []byte(s)}
}

// FromUTF16 returns a string of code units, which it may keep.
func FromUTF16(units []uint16) *String {
	for _, u := range units {
		if u >= utf8.RuneSelf {
			return &String{n: len(units), wide: units}
		}
	}
	b := make([]byte, len(units))
	for i, u := range units {
		b[i] = byte(u)
	}
	return &String{n: len(units), ascii: b}
}

// Len returns the number of code units.
func (s *String) Len() int { return s.n }

// JSType returns "string".
func (s *String) JSType() string { return "string" }

// String returns the text; what is not well-formed becomes U+FFFD.
func (s *String) String() string {
	s.flatten()
	if s.wide == nil {
		return string(s.ascii)
	}
	return string(utf16.Decode(s.wide))
}

// UTF16 returns the code units from one position up to another. They must not be changed.
func (s *String) UTF16(from, to int) []uint16 {
	s.flatten()
	if s.wide != nil {
		return s.wide[from:to:to]
	}
	out := make([]uint16, to-from)
	for i, b := range s.ascii[from:to] {
		out[i] = uint16(b)
	}
	return out
}

// at returns a code unit.
func (s *String) at(i int) uint16 {
	s.flatten()
	if s.wide != nil {
		return s.wide[i]
	}
	return uint16(s.ascii[i])
}

// codePoint returns the code point that begins at a position; of half a surrogate pair the half.
func (s *String) codePoint(i int) rune {
	u := rune(s.at(i))
	if utf16.IsSurrogate(u) && i+1 < s.n {
		if r := utf16.DecodeRune(u, rune(s.at(i+1))); r != utf8.RuneError {
			return r
		}
	}
	return u
}

// nodeSize is the length from which on a concatenation is a node.
const nodeSize = 24

// concat returns a string and another one after it.
func concat(a, b *String) (*String, error) {
	switch {
	case a.n == 0:
		return b, nil
	case b.n == 0:
		return a, nil
	case a.n > MaxLength-b.n:
		return nil, errLength
	}
	s := &String{n: a.n + b.n, left: a, right: b}
	if s.n < nodeSize {
		s.flatten()
	}
	return s, nil
}

// flatCost returns how many units flatten has to copy.
func (s *String) flatCost() uint64 {
	if s.left == nil {
		return 0
	}
	first := s
	for first.left != nil {
		first = first.left
	}
	if first.room != nil && first.room.used == first.n && max(cap(first.ascii), cap(first.wide)) >= s.n {
		return uint64(s.n - first.n)
	}
	return uint64(s.n)
}

// flatten puts the units of a node together.
func (s *String) flatten() {
	if s.left == nil {
		return
	}
	// The leaves in order, of nodes that may be as deep as there are concatenations.
	var leaves, stack []*String
	wide := false
	for t := s; ; {
		if t.left != nil {
			stack = append(stack, t.right)
			t = t.left
			continue
		}
		leaves = append(leaves, t)
		wide = wide || t.wide != nil
		if len(stack) == 0 {
			break
		}
		t = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
	}
	first := leaves[0]
	if wide {
		s.wide, s.room = extend(first.wide, first.room, s.n, leaves, func(b []uint16, l *String) []uint16 {
			if l.wide != nil {
				return append(b, l.wide...)
			}
			for _, c := range l.ascii {
				b = append(b, uint16(c))
			}
			return b
		})
	} else {
		s.ascii, s.room = extend(first.ascii, first.room, s.n, leaves, func(b []byte, l *String) []byte {
			return append(b, l.ascii...)
		})
	}
	s.left, s.right = nil, nil
}

// extend returns the units of leaves: after those of the first one, if there is room and nobody
// else has used it, else a copy with room.
func extend[T any](
	first []T, r *room, n int, leaves []*String, add func([]T, *String) []T,
) ([]T, *room) {
	b := first
	if r == nil || r.used != len(first) || cap(first) < n || first == nil {
		r = &room{}
		most := n
		if len(leaves) > 1 && leaves[0].n >= n/2 { // something is appended: more may come
			most += n / 2
		}
		b = make([]T, 0, most)
		b = add(b, leaves[0])
	}
	for _, l := range leaves[1:] {
		b = add(b, l)
	}
	r.used = n
	return b, r
}

// substring returns the units from one position up to another.
func (s *String) substring(from, to int) *String {
	if from >= to {
		return empty
	}
	if from == 0 && to == s.n {
		return s
	}
	s.flatten()
	if s.wide != nil {
		return FromUTF16(slices.Clone(s.wide[from:to]))
	}
	b := s.ascii[from:to:to]
	if len(b) <= s.n/2 { // it must not keep a long string alive
		b = slices.Clone(b)
	}
	return &String{n: to - from, ascii: b}
}

// equal reports whether two strings are the same.
func equal(a, b *String) bool { return a == b || a.n == b.n && compare(a, b) == 0 }

// compare compares two strings by code units: -1, 0 or 1.
func compare(a, b *String) int {
	if a == b {
		return 0
	}
	a.flatten()
	b.flatten()
	switch {
	case a.wide == nil && b.wide == nil:
		return slices.Compare(a.ascii, b.ascii)
	case a.wide != nil && b.wide != nil:
		return slices.Compare(a.wide, b.wide)
	}
	for i := range min(a.n, b.n) {
		if x, y := a.at(i), b.at(i); x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	switch {
	case a.n < b.n:
		return -1
	case a.n > b.n:
		return 1
	}
	return 0
}

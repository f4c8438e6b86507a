package lang

import (
	"strings"

	"stackscope/analysis/debuginfo"
)

// prettyName shortens the name of a type for people: versions of namespaces, arguments that have
// their default, and modules of the standard libraries are left out.
func prettyName(l debuginfo.Language, s string) string {
	if len(s) > 10000 || strings.IndexByte(s, ':') < 0 {
		return s
	}
	switch l {
	case debuginfo.CPlusPlus:
		s = withoutVersions(s)
		for _, d := range []string{
			"std::allocator<", "std::default_delete<", "std::char_traits<", "std::less<", "std::hash<",
			"std::equal_to<",
		} {
			s = withoutArgument(s, d)
		}
		s = strings.ReplaceAll(s, "std::basic_string<char>", "std::string")
		s = strings.ReplaceAll(s, "std::basic_string_view<char>", "std::string_view")
	case debuginfo.Rust:
		s = strings.ReplaceAll(s, ", alloc::alloc::Global", "")
		s = withoutArgument(s, "std::collections::hash::map::RandomState")
		s = withoutModules(s)
	}
	return s
}

// withoutVersions writes `std::` for `std::__2::`.
func withoutVersions(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "std::__")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		j := i + len("std::__")
		k := j
		for k < len(s) && (s[k] >= '0' && s[k] <= '9' || strings.HasPrefix(s[k:], "ndk")) {
			k++
			if s[k-1] == 'n' {
				k += 2
			}
		}
		if k > j && strings.HasPrefix(s[k:], "::") {
			b.WriteString(s[:i] + "std::")
			s = s[k+2:]
			continue
		}
		b.WriteString(s[:j])
		s = s[j:]
	}
}

// withoutArgument leaves out the template arguments that begin with a text, with the comma before
// them.
func withoutArgument(s, begin string) string {
	for {
		i := strings.Index(s, ", "+begin)
		if i < 0 {
			return s
		}
		end := i + 2
		depth := 0
	scan:
		for ; end < len(s); end++ {
			switch s[end] {
			case '<', '(', '[':
				depth++
			case '>', ')', ']':
				if depth == 0 {
					break scan
				}
				depth--
			case ',':
				if depth == 0 {
					break scan
				}
			}
		}
		rest := s[end:]
		if t := strings.TrimLeft(rest, " "); strings.HasPrefix(t, ">") {
			rest = t
		}
		s = strings.TrimRight(s[:i], " ") + rest
	}
}

// withoutModules writes `Vec` for `alloc::vec::Vec`.
func withoutModules(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if !isLetter(s[i]) {
			b.WriteByte(s[i])
			i++
			continue
		}
		j := i
		for j < len(s) && (isLetter(s[j]) || s[j] >= '0' && s[j] <= '9' || strings.HasPrefix(s[j:], "::") ||
			j > 0 && s[j] == ':' && s[j-1] == ':') {
			j++
		}
		word := s[i:j]
		for _, p := range []string{"alloc::", "core::", "std::", "hashbrown::"} {
			if strings.HasPrefix(word, p) {
				word = word[strings.LastIndex(word, "::")+2:]
				break
			}
		}
		b.WriteString(word)
		i = j
	}
	return b.String()
}

package symbols

import (
	"strings"
	"testing"
)

func TestSkip(t *testing.T) {
	for _, c := range []struct {
		patterns string
		path     string
		ignored  bool
		want     bool
	}{
		{"", "/home/me/main.c", false, false},
		{"", "/home/me/gen.kt", true, true},
		{"", "/usr/include/wasm32-wasi/c++/v1/vector", false, true},
		{"", "/usr/src/rustc-1.63.0/library/core/src/option.rs", false, true},
		{"", "/rustc/897e37553bba8b42751c67658967889d11ecd120/library/std/src/rt.rs", false, true},
		{"", "library/core/src/option.rs", false, true},
		{"", "/home/me/library/src/main.rs", false, false},
		{"", "~lib/string.ts", false, true},
		{"!<runtime>", "~lib/string.ts", false, false},
		{"!~lib/string.ts", "~lib/string.ts", false, false},
		{"!~lib/string.ts", "~lib/array.ts", false, true},
		{"lib/*.c", "/home/me/lib/a.c", false, true},
		{"lib/*.c", "/home/me/lib/sub/a.c", false, false},
		{"lib/**", "/home/me/lib/sub/a.c", false, true},
		{"/home/**/*.{c,h}", "/home/me/lib/a.h", false, true},
		{"/home/**/*.{c,h}", "/home/me/lib/a.cpp", false, false},
		{"**/[a-c]?.c", "/x/b1.c", false, true},
		{"**/[!a-c]?.c", "/x/b1.c", false, false},
		{"** !keep.c", "/x/keep.c", false, false},
		{"!keep.c **", "/x/keep.c", false, true},
		{"!**/gen.kt", "/home/me/gen.kt", true, false},
	} {
		s, err := NewSkip(strings.Fields(c.patterns))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := s.Match(c.ignored, c.path); got != c.want {
			t.Errorf("%q, %s, ignored %v: %v", c.patterns, c.path, c.ignored, got)
		}
	}
	if s, _ := NewSkip([]string{"!<runtime>"}); s.Runtime() {
		t.Error("!<runtime> does not unfold functions of the runtime")
	}
	for _, bad := range []string{"{a", "a}", "[a", "[]"} {
		if s, err := NewSkip([]string{bad, "b.c"}); err == nil || !s.Match(false, "b.c") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, line := range strings.Split(runtimeFiles, "\n") {
		if _, err := glob(line); err != nil {
			t.Errorf("runtime.txt: %q: %v", line, err)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name, want string
		is         bool
	}{
		{"main", "main", true},
		{"main", "domain", false},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)", "push_back", true},
		{"std::vector<int, std::allocator<int> >::push_back", "vector::push_back", true},
		{"std::vector<int, std::allocator<int> >::push_back", "std::vector<int,std::allocator<int>>::push_back", true},
		{"std::vector<int, std::allocator<int> >::push_back", "vector<float>::push_back", false},
		{"Point::area", "Point::area()", true},
		{"Point::area", "Circle::area", false},
		{"largest<int>", "largest", true},
		{"largest<int>", "largest<int>", true},
		{"largest<int>", "largest<double>", false},
		{"operator<<", "operator<<", true},
		{"ns::operator()(int)", "operator()", true},
		{"core::option::Option<T>::map", "Option<T>::map", true},
		{"core::option::Option<T>::map", "Option::map", true},
		{"tasks::main::{{closure}}", "{{closure}}", true},
		{"com.example.Main.fetch", "Main.fetch", true},
		{"com.example.Main.fetch", "com.example", false},
	} {
		if got := named(c.name, nameParts(c.want)); got != c.is {
			t.Errorf("%s is named by %s: %v", c.name, c.want, got)
		}
	}
	if len(nameParts("")) != 0 || len(nameParts("::")) != 0 {
		t.Error("an empty name has parts")
	}
}

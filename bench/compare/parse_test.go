package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	const out = `goos: linux
BenchmarkSwitch/gen-2   	 1000	  40.5 ns/op	 0 B/op

# 1000 bytes, stack switching: no; ours: 1 sessions of 1 rounds
median of n       must  ours     CPU     min … max, n
cold open                10.5 ms  7.5 ms  10.7 ms … 10.7 ms, 1

| work | stackscope | V8 15.0 | to V8 |
|---|---|---|---|
| gen: resume | 28.5 ns ± 0 % | fails: none | – |
| compile | 24.5 MB/s | – | – |
`
	var got []string
	for _, r := range parse(out) {
		got = append(got, fmt.Sprintf("%s = %.4g", r.name, r.value))
	}
	want := []string{
		"BenchmarkSwitch/gen = 4.05e-08",
		"1000 bytes, stack switching: no: cold open, ours = 0.0105",
		"1000 bytes, stack switching: no: cold open, CPU = 0.0075",
		"1000 bytes, stack switching: no: gen: resume, stackscope = 2.85e-08",
		"1000 bytes, stack switching: no: compile, stackscope, MB/s = 24.5",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}

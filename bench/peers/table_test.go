package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestCompare(t *testing.T) {
	const n = 4
	calls := 0
	good := side{name: "ours", measure: func() (time.Duration, error) { return time.Second, nil }}
	bad := side{name: "theirs", peer: true, measure: func() (time.Duration, error) {
		if calls++; calls == 3 {
			return 0, errors.New("exit status 1: Error: failed\nCaused by: no memory | more")
		}
		return time.Second, nil
	}}
	f, err := compare(n, []side{good, bad})
	if err != nil {
		t.Fatal(err)
	}
	if f[0].median != 1 || f[0].text() != "1.00 s ± 0 %" {
		t.Error(f[0])
	}
	if calls != 3 || f[1].text() != "fails: Caused by: no memory / more" || ratio(f[0], f[1]) != "–" ||
		ratio(f[0], f[0]) != "1.00×" {
		t.Error(calls, f[1].text(), ratio(f[0], f[1]))
	}
	bad.peer, calls = false, 0
	if _, err := compare(n, []side{good, bad}); err == nil || !strings.HasPrefix(err.Error(), "theirs: ") {
		t.Error(err)
	}
	if mean(nil) != "–" || mean([]float64{2, 8}) != "4.00×" {
		t.Error(mean(nil), mean([]float64{2, 8}))
	}
}

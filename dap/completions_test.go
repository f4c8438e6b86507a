package dap_test

import (
	"strings"
	"testing"
)

// TestCompletions completes at every kind of place, in text with characters of several bytes, and
// on a line that is not the first.
func TestCompletions(t *testing.T) {
	c, f := kindsSession(t)
	for _, x := range []struct {
		text, want          string // what comes first, joined
		line, start, length int
	}{
		{"$i3", "$i31 $i32", 0, 1, 3},
		{"é😀 == $i3", "$i31 $i32", 0, 8, 3},
		{"first\n  $i6", "$i64", 2, 9, 3},
		{"(i32.rem", "i32.rem_s i32.rem_u", 0, 2, 7},
		{"(i32.add (i32.clz", "i32.clz", 0, 11, 7},
		{"$main($g", "$g", 0, 7, 2},
		{"ta", "table $tab", 0, 1, 2},
		{"table $", "$tab", 0, 7, 1},
		{"global ", "$g $v", 0, 8, 0},
		{"local $f6", "$f64", 0, 7, 3},
		{"hist", "history", 0, 1, 4},
		{"$i32 == hist", "", 0, 9, 4},
		{"$pt.", "$b $f $k $n $x $y", 0, 5, 0},
		{"$pt.$n.$", "", 0, 8, 1},
		{"$k.sta", "state", 0, 4, 3},
		{"#3.fun", "function", 0, 4, 3},
		{"#", "#1 #2 #3 #4", 0, 1, 1},
		{"memory $m.u", "u16 u32 u64 u8", 0, 11, 1},
		{"$i32 + memory $m.f", "f32 f64", 0, 18, 1},
		{"$arr[(local.tee $i32 (i32.const 1))].", "", 0, 38, 0},
		{"nothing", "", 0, 1, 7},
		{"", "$any", 0, 1, 0},
	} {
		args := map[string]any{"frameId": f, "text": x.text, "column": x.start + x.length}
		if x.line > 0 {
			args["line"], args["column"] = x.line, 6
		}
		var b struct {
			Targets []struct {
				Label         string
				Start, Length int
			}
		}
		c.must("completions", args, &b)
		var labels []string
		for _, y := range b.Targets {
			labels = append(labels, y.Label)
			if y.Start != x.start || y.Length != x.length {
				t.Errorf("%q: %+v", x.text, y)
			}
		}
		got := strings.Join(labels, " ")
		if x.length == 0 && x.want != "" && !strings.HasSuffix(x.text, ".") { // all names
			if !strings.HasPrefix(got, x.want+" ") && got != x.want && !strings.Contains(got, x.want) {
				t.Errorf("%q: %s", x.text, got)
			}
		} else if got != x.want {
			t.Errorf("%q: %s, want %s", x.text, got, x.want)
		}
	}
	if got := c.eval(f, "watch", "$i32"); got != "0" {
		t.Errorf("completing has changed a variable: %s", got)
	}
}

//go:build checked

package vm

import (
	"stackscope/vm/internal/code"
	"stackscope/vm/internal/fused"
	"strings"
	"testing"
	"unsafe"
)

// An op whose fields lead out of the frame or of the code is named before it is executed.
func TestVerifyNames(t *testing.T) {
	inst := &Instance{}
	good := code.Op{Code: fused.Mov, A: 0, B: 1}
	for _, c := range []struct {
		name string
		o    code.Op
		want string
	}{
		{"good", good, ""},
		{"slot", code.Op{Code: fused.Mov, A: 0, B: 9}, "fused op Mov at 1 of function 7 uses the number slots 9 to 10 of 3"},
		{"reference", code.Op{Code: fused.MovR, A: 4}, "fused op MovR at 1 of function 7 uses the reference slots 4 to 5 of 1"},
		{"return", code.Op{Code: fused.Ret, A: 2, C: 5}, "fused op Ret at 1 of function 7 uses the number slots 2 to 7 of 3"},
		{"branch", code.Op{Code: fused.Move, Imm: 3}, "fused op Move at 1 of function 7 takes a branch that there is not"},
		{"table", code.Op{Code: fused.Table, Imm: 8}, "fused op Table at 1 of function 7 has a table that ends after the code"},
		{"suspend", code.Op{Code: fused.Suspend, Imm: 2}, "fused op Suspend at 1 of function 7 has a tag that there is not"},
		{"code", code.Op{Code: fused.Num}, "has no such code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cd := &code.Func{Nums: 3, Refs: 1, Fused: []code.Op{good, c.o, good}, Baseline: make([]code.Op, 3)}
			s := &Stack{storage: storage{nums: make([]uint64, 4), refs: make([]Ref, 2), frames: make([]frame, 1, 2)}}
			s.frames[0] = frame{fn: &Func{code: cd, inst: inst, index: 7}}
			v := vars{
				s: s, cd: cd, inst: inst, r: s.refsAt(0), fr: &s.frames[0], depth: 1,
				cap: 2, numCap: 4, refCap: 2, num0: unsafe.Pointer(unsafe.SliceData(s.nums)),
				ref0: unsafe.Pointer(unsafe.SliceData(s.refs)),
			}
			got := panics(func() { v.verify(&cd.Fused[1], s.numsAt(0).p) })
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("panics with %q, want %q", got, c.want)
			}
			if got := panics(func() { v.verify(&cd.Fused[0], s.numsAt(1).p) }); !strings.Contains(
				got, "has other number slots than the frame's",
			) {
				t.Errorf("slots of another frame: %q", got)
			}
		})
	}
}

// An access after the end of a memory, or to another's bytes, is noticed.
func TestVerifyAccess(t *testing.T) {
	m := &Memory{bytes: make([]byte, 16)}
	base := unsafe.Pointer(unsafe.SliceData(m.bytes))
	if got := panics(func() { checkAccess(m, base, 8, 8) }); got != "" {
		t.Error(got)
	}
	for _, addr := range []uint64{9, 16, 17, 1 << 63} {
		if panics(func() { checkAccess(m, base, addr, 8) }) == "" {
			t.Errorf("8 bytes at %d pass", addr)
		}
	}
	if panics(func() { checkAccess(&Memory{}, base, 0, 1) }) == "" {
		t.Error("another memory passes")
	}
}

// A slot after those of the stack is noticed by whoever uses it.
func TestVerifySlots(t *testing.T) {
	s := &Stack{storage: storage{nums: make([]uint64, 4), refs: make([]Ref, 2)}}
	for want, f := range map[string]func(){
		"":                      func() { s.numsAt(1).set(2, 7); *s.refsAt(1).at(0) = Ref{}; s.refsAt(2) },
		"number slot 3 of 3":    func() { s.numsAt(1).set(3, 7) },
		"number slot 5 of 5":    func() { s.numsAt(5) },
		"reference slot 1 of 1": func() { *s.refsAt(1).at(1) = Ref{} },
	} {
		if got := panics(f); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}
}

func panics(f func()) (what string) {
	defer func() {
		if x := recover(); x != nil {
			what = x.(string)
		}
	}()
	f()
	return ""
}

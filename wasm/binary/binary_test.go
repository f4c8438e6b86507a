package binary_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stackscope/internal/testing/suite"
	"stackscope/wasm"
	"stackscope/wasm/binary"
	"stackscope/wasm/text"
)

type specModule struct {
	where string
	bytes []byte
	want  string // of assert_malformed
}

var (
	reComment = regexp.MustCompile(`(?m);;.*$`)
	reModule  = regexp.MustCompile(
		`(?s)(\(\s*assert_malformed\s*)?\(\s*module(?:\s+definition)?(?:\s+\$\S+)?\s+binary((?:\s*"(?:[^"\\]|\\.)*")*)\s*\)(?:\s*"([^"]*)")?`,
	)
	reString = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// specModules are the binary modules in the suite's scripts, read without our own parser.
func specModules(t testing.TB) []specModule {
	files, _ := filepath.Glob(filepath.Join(suite.Dir(t), "*.wast"))
	var out []specModule
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := reComment.ReplaceAllString(string(text), "")
		for i, m := range reModule.FindAllStringSubmatch(s, -1) {
			x := specModule{where: filepath.Base(f) + "#" + strconv.Itoa(i)}
			for _, q := range reString.FindAllStringSubmatch(m[2], -1) {
				x.bytes = append(x.bytes, unquote(q[1])...)
			}
			if m[1] != "" {
				x.want = m[3]
			}
			out = append(out, x)
		}
	}
	if len(out) < 500 {
		t.Fatalf("only %d binary modules found", len(out))
	}
	return out
}

func unquote(s string) (b []byte) {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		i++
		if j := strings.IndexByte(`tnr"'\`, s[i]); j >= 0 {
			b = append(b, "\t\n\r\"'\\"[j])
			continue
		}
		x, _ := strconv.ParseUint(s[i:i+2], 16, 8)
		b = append(b, byte(x))
		i++
	}
	return b
}

func TestSpec(t *testing.T) {
	for _, x := range specModules(t) {
		m, err := binary.Decode(x.bytes)
		var e *binary.Error
		switch {
		case err != nil && !errors.As(err, &e):
			t.Errorf("%s: error of type %T", x.where, err)
		case x.want == "" && err != nil:
			t.Errorf("%s: %v", x.where, err)
		case x.want != "" && err == nil:
			t.Errorf("%s: accepted, want %q", x.where, x.want)
		case x.want != "" && !strings.HasPrefix(e.Msg, x.want):
			t.Errorf("%s: %q, want %q at %#x of %x", x.where, e.Msg, x.want, e.Off, x.bytes)
		case err == nil:
			roundTrip(t, x.where, m)
		}
	}
}

// roundTrip checks that what is encoded decodes to what encodes alike.
func roundTrip(t testing.TB, where string, m *wasm.Module) {
	b1, err := binary.Encode(m)
	if err != nil {
		t.Errorf("%s: encode: %v", where, err)
		return
	}
	m2, err := binary.Decode(b1)
	if err != nil {
		t.Errorf("%s: decode what was encoded: %v\n%x", where, err, b1)
		return
	}
	b2, err := binary.Encode(m2)
	if err != nil || !bytes.Equal(b1, b2) {
		t.Errorf("%s: not stable: %v\n%x\n%x", where, err, b1, b2)
	}
}

// TestInstructions encodes and decodes every instruction of the table that has an encoding.
func TestInstructions(t *testing.T) {
	for op := wasm.Op(1); op < wasm.NumOps; op++ {
		info := op.Info()
		in := wasm.Instr{Op: op}
		body := []wasm.Instr{in, {Op: wasm.OpEnd}}
		switch op {
		case wasm.OpEnd, wasm.OpElse, wasm.OpCatch, wasm.OpCatchAll, wasm.OpDelegate:
			continue
		}
		b := &body[0]
		b.Ext = &wasm.Ext{}
		n := uint32(3)
		for _, imm := range info.Imms {
			switch imm {
			case wasm.ImmBlock:
				b.Imm = uint64(wasm.BlockIndex(300))
			case wasm.ImmLabels:
				b.Ext.Labels = []uint32{1, 2, 300}
			case wasm.ImmI32:
				b.Imm = 0xffff_fff0
			case wasm.ImmF32:
				b.Imm = 0x7fc0_0001
			case wasm.ImmI64, wasm.ImmF64:
				b.Imm = 0xffff_ffff_ffff_0000
			case wasm.ImmV128, wasm.ImmLanes:
				b.Imm, b.Ext.Hi = 0x0102030405060708, 0x090a0b0c0d0e0f10
			case wasm.ImmLane:
				b.Lane = 3
			case wasm.ImmMemArg:
				b.A, b.Imm, b.Align = 2, 1<<40, 3
			case wasm.ImmResults:
				b.Ext.Types = []wasm.ValType{wasm.I64}
			case wasm.ImmHeapType:
				b.Imm = uint64(wasm.AnyRef)
			case wasm.ImmRefType:
				b.Imm, b.Ext.Types = uint64(wasm.AnyRef), []wasm.ValType{wasm.I31RefNN}
			case wasm.ImmCatches:
				b.Ext.Catches = []wasm.Catch{
					{Kind: wasm.CatchTagRef, Tag: 4, Label: 5}, {Kind: wasm.CatchAll, Label: 6},
				}
			case wasm.ImmHandlerClauses:
				b.Ext.HandlerClauses = []wasm.HandlerClause{{Tag: 1, Label: 2}, {Tag: 3, Switch: true}}
			default:
				if n == 3 {
					b.A = n
				} else {
					b.B = n
				}
				n = 700
			}
		}
		if op.OpensBlock() {
			body = append(body, wasm.Instr{Op: wasm.OpEnd})
		}
		m := &wasm.Module{Start: wasm.BadIndex, Names: wasm.NewNames(), Datas: make([]wasm.Data, 1),
			Types: []wasm.SubType{{Kind: wasm.CompFunc, Final: true}}, Recs: []wasm.RecGroup{{Len: 1}},
			Funcs: []wasm.Func{{Import: -1, Body: body}}}
		m.Datas[0].Mode = wasm.SegmentPassive
		bin, err := binary.Encode(m)
		if info.Enc == wasm.NoEncoding {
			if err == nil || !strings.Contains(err.Error(), "`"+op.String()+"`") {
				t.Errorf("%v: encoded without an encoding: %v", op, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", op, err)
			continue
		}
		got, err := binary.Decode(bin)
		if err != nil {
			t.Errorf("%v: %v", op, err)
			continue
		}
		g := got.Funcs[0].Body[0]
		if g.Op != op || g.A != b.A || g.B != b.B || g.Imm != b.Imm || g.Lane != b.Lane || g.Align != b.Align {
			t.Errorf("%v: got %+v, want %+v", op, g, *b)
		}
		roundTrip(t, op.String(), got)
	}
}

func TestNamesAndCustoms(t *testing.T) {
	m := &wasm.Module{Start: wasm.BadIndex, Names: wasm.NewNames()}
	m.Names.Module = "mod"
	m.Names.Funcs[3] = "f"
	m.Names.Tags[0] = "yield"
	wasm.Set2(m.Names.Locals, 3, 1, "x")
	wasm.Set2(m.Names.Fields, 0, 2, "next")
	wasm.Set2(m.Names.Labels, 3, 0, "loop")
	m.Customs = []wasm.Custom{
		{Name: "first", Bytes: []byte{1}}, {Name: "mid", Place: 10, Before: true}, {Name: "last", Place: 11},
	}
	b, err := binary.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	g, err := binary.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if g.Names.Module != "mod" || g.Names.Funcs[3] != "f" || g.Names.Tags[0] != "yield" || g.Names.Locals[3][1] != "x" ||
		g.Names.Fields[0][2] != "next" ||
		g.Names.Labels[3][0] != "loop" {
		t.Errorf("names: %+v", g.Names)
	}
	if len(g.Customs) != 3 || g.Customs[0].Name != "first" || g.Customs[1].Name != "mid" ||
		g.Customs[2].Name != "last" {
		t.Errorf("custom sections: %+v", g.Customs)
	}
	roundTrip(t, "names", g)
}

// A name section that is not well-formed is kept as it is and is no error.
func TestBadNames(t *testing.T) {
	b := []byte("\x00asm\x01\x00\x00\x00\x00\x07\x04name\x01\xff")
	m, err := binary.Decode(b)
	if err != nil || len(m.Customs) != 1 {
		t.Fatalf("%v %+v", err, m)
	}
	if out, err := binary.Encode(m); err != nil || !bytes.Equal(out, b) {
		t.Errorf("%x %v", out, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Add(
		[]byte(
			"\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x08\x01\x06\x00\x02\x40\x0b\x0b\x0b",
		),
	)
	f.Add([]byte("\x00asm\x01\x00\x00\x00\x0a\x0c\x01\x0a\x02\xff\xff\xff\xff\x0f\x7f\x02\x7e\x0b"))
	if os.Getenv("STACKSCOPE_SPEC") != "" {
		for _, x := range specModules(f) {
			f.Add(x.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := binary.Decode(b); err == nil {
			roundTrip(t, "fuzz", m)
			text.Print(m, text.Options{}) // must not panic, though m may be invalid
		} else if m != nil {
			t.Error("a module and an error")
		}
	})
}

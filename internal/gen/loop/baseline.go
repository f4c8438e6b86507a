package main

import (
	"fmt"
	"regexp"
	"strings"
)

// isInstr holds the ops of the fused form that are instructions.
var isInstr = map[string]bool{}

func init() {
	for _, w := range widths {
		for _, b := range binary {
			isInstr[w.name+b.name] = true
		}
		for _, name := range []string{"Eqz", "Clz", "Ctz", "DivS", "DivU", "RemS", "RemU", "Extend8S", "Extend16S"} {
			isInstr[w.name+name] = true
		}
	}
	for _, f := range []string{"F32", "F64"} {
		for _, b := range floats {
			isInstr[f+b.name] = true
		}
		for _, name := range []string{"Abs", "Neg", "Sqrt"} {
			isInstr[f+name] = true
		}
	}
	for _, name := range []string{
		"I32WrapI64", "I64ExtendI32S", "I64Extend32S", "F32ConvertI32S", "F64ConvertI32S", "F64ConvertI32U", "F64ConvertI64S",
	} {
		isInstr[name] = true
	}
}

// copies are the numeric instructions that the fused form has as copies.
var copies = []def{
	{name: "I64ExtendI32U", body: "A = uint64(B32)"},
	{name: "I32ReinterpretF32", body: "A = B"}, {name: "I64ReinterpretF64", body: "A = B"},
	{name: "F32ReinterpretI32", body: "A = B"}, {name: "F64ReinterpretI64", body: "A = B"},
}

// numerics returns the numeric instructions of which the baseline loop has a case each.
func numerics(ops []def) []def {
	var out []def
	for _, d := range ops {
		if isInstr[d.name] {
			out = append(out, d)
		}
	}
	return append(out, copies...)
}

// baselineCases returns the cases of the baseline loop that come from the tables: numeric
// instructions, loads and stores of memory 0.
func baselineCases(ops []def) string {
	var out strings.Builder
	for _, d := range numerics(ops) {
		fmt.Fprintf(&out, "case uint16(wasm.Op%s):\n%s\n", d.name, expandBaseline(d.body))
	}
	for _, l := range loads {
		fmt.Fprintf(&out, "case %s:\n%s\n", codesOf(l.instrs), expandBaseline(baselineAccess("B", l.size)+"A = "+l.value))
	}
	for _, s := range stores {
		stmt := strings.Replace(s.stmt, "VALUE", "B", 1)
		fmt.Fprintf(&out, "case %s:\n%s\n", codesOf(s.instrs), expandBaseline(baselineAccess("A", s.size)+stmt))
	}
	return out.String()
}

// codesOf returns the codes of instructions whose names are separated by spaces.
func codesOf(instrs string) string {
	names := strings.Fields(instrs)
	for i, n := range names {
		names[i] = "uint16(wasm.Op" + n + ")"
	}
	return strings.Join(names, ", ")
}

// baselineAccess is access in the baseline form, for the address in a slot.
func baselineAccess(slot, size string) string {
	return "x = " + slot + " + I\nif x+" + size + " > uint64(len(v.mem.bytes)) { goto outOfBounds }\n" +
		"if checked { checkAccess(v.mem, unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x, " + size + ") }\n" +
		"p = unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.mem.bytes)), x)\n"
}

// assignment is a statement that puts a value into the number slot a.
var assignment = regexp.MustCompile(`(^|[\n;{] ?)A = ([^\n;}]+)`)

// expandBaseline is expand for the baseline form, whose slots are read and written by methods: with
// the build tag checked, they check the access.
func expandBaseline(body string) string {
	body = assignment.ReplaceAllString(body, "${1}f.set(o.A, $2)")
	return macros.ReplaceAllStringFunc(body, func(w string) string {
		switch {
		case w[0] == '.':
			return w
		case w == "I":
			return "o.Imm"
		case strings.HasPrefix(w, "TRAP("):
			return expand(w)
		}
		read := map[string]string{"": "u64", "32": "u32", "F": "f64", "f": "f32"}[w[1:]]
		return "f." + read + "(o." + w[:1] + ")"
	})
}

// inlined returns the text of the function that reports to the compiler which numeric instructions
// are cases.
func inlined(ops []def) string {
	out := strings.Replace(header, "package fused", "package compile", 1) + "import \"stackscope/wasm\"\n\n" +
		"// inlined reports whether the baseline loop has a case for a scalar numeric instruction; the others\n" +
		"// go through num.Do.\nfunc inlined(op wasm.Op) bool {\nswitch op {\ncase "
	for i, d := range numerics(ops) {
		if i > 0 {
			out += ",\n"
		}
		out += "wasm.Op" + d.name
	}
	return out + ":\nreturn true\n}\nreturn false\n}\n"
}

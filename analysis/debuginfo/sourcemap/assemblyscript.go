package sourcemap

import (
	"strings"

	"stackscope/analysis/debuginfo"
)

// assemblyFunc returns the name of a function of AssemblyScript as its source has it, without the
// files that its parts are in.
//
//	assembly/index/run                        run
//	assembly/index/Point#constructor          Point.constructor
//	assembly/index/Point#get:x                Point.get x
//	~lib/array/Array<assembly/index/Point>#push  Array<Point>.push
//	assembly/index/run~anonymous|0            run.<anonymous>
//	start:assembly/index                      <top level of assembly/index>
func assemblyFunc(name string) string {
	if file, ok := strings.CutPrefix(name, "start:"); ok {
		file, rest, more := strings.Cut(file, "~")
		if !more {
			return "<top level of " + file + ">"
		}
		name = "/~" + rest
	}
	var b strings.Builder
	start := 0
	flush := func(end int) {
		s := name[start:end]
		if i := strings.LastIndexByte(s, '/'); i >= 0 {
			s = s[i+1:]
		}
		b.WriteString(s)
	}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case '<', '>', ',', '#', '~', '|', ' ', '(', ')', ':':
			if c == '~' && (i == start && strings.HasPrefix(name[i:], "~lib/") || i == 0) {
				continue // part of a path
			}
			flush(i)
			start = i + 1
			switch c {
			case '#':
				b.WriteByte('.')
			case '~':
				if strings.HasPrefix(name[i:], "~anonymous") {
					b.WriteString(".<anonymous>")
					start = i + len("~anonymous")
					for start < len(name) && (name[start] == '|' || name[start] >= '0' && name[start] <= '9') {
						start++
					}
					i = start - 1
				} else {
					b.WriteByte('.')
				}
			case ':': // get:x
				b.WriteByte(' ')
			case '|': // the number of one of several
				for start < len(name) && name[start] >= '0' && name[start] <= '9' {
					start++
				}
				i = start - 1
			default:
				b.WriteByte(c)
			}
		}
	}
	flush(len(name))
	out := strings.TrimPrefix(b.String(), ".")
	if out == "" {
		return name
	}
	return out
}

// assemblyLocal returns the name of a local of AssemblyScript, and whether the compiler made it:
// those are numbers. `i|4` is one of several variables `i`.
func assemblyLocal(name string) (string, bool) {
	if i := strings.LastIndexByte(name, '|'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		name = name[:i]
	}
	return name, strings.Trim(name, "0123456789") == "" || strings.HasPrefix(name, "~")
}

// assemblyRuntime reports whether a function is one of AssemblyScript's library, or made by the
// compiler.
func assemblyRuntime(name string, rows []debuginfo.Row) bool {
	return strings.HasPrefix(name, "~") || len(rows) == 0 || ignored(rows)
}

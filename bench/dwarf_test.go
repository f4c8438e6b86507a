package bench

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"stackscope/analysis/debuginfo"
	"stackscope/analysis/debuginfo/dwarf"
	"stackscope/dap"
	"stackscope/internal/launch"
	"stackscope/internal/termdbg"
	"stackscope/internal/testing/gendwarf"
	"stackscope/vm/debugger"
	"stackscope/wasm"
	"stackscope/wasm/binary"
)

// largeModule returns a module with some 50 MB of DWARF and 4 MB of code; compilers emit less code.
func largeModule() []byte {
	data, _ := gendwarf.Module(gendwarf.Options{Units: 800, Funcs: 100, Types: 500, Rows: 9})
	return data
}

// dwarfInput returns a program with some 50 MB of DWARF, and the bytes of its sections. It is a generated
// one, or that of $STACKSCOPE_DWARF.
func dwarfInput(b *testing.B) (in dwarf.Input, size int) {
	b.Helper()
	data := largeModule()
	if path := os.Getenv("STACKSCOPE_DWARF"); path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	m, err := binary.Decode(data)
	if err != nil {
		b.Fatal(err)
	}
	in = dwarf.Input{Module: m, Sections: map[string][]byte{}, Code: codeOffset(data)}
	for _, c := range m.Customs {
		in.Sections[c.Name] = c.Bytes
		size += len(c.Bytes)
	}
	return in, size
}

// codeOffset returns the offset of the contents of the code section.
func codeOffset(data []byte) uint64 {
	for p := 8; p < len(data); {
		id := data[p]
		p++
		n, shift := 0, 0
		for {
			c := data[p]
			p++
			n |= int(c&0x7f) << shift
			if shift += 7; c < 0x80 {
				break
			}
		}
		if id == 10 {
			return uint64(p)
		}
		p += n
	}
	return 0
}

// noFrame is a frame in which every local is 1000.
type noFrame struct{}

func (noFrame) Local(uint32) (uint64, bool)   { return 1000, true }
func (noFrame) Global(uint32) (uint64, bool)  { return 1000, true }
func (noFrame) Operand(uint32) (uint64, bool) { return 0, false }
func (noFrame) Read(uint64, []byte) bool      { return true }

// stop does what a stop does: it finds the function, the place, the scopes and the variables.
func stop(r debuginfo.Reader, fn uint32, pc int) (n int) {
	f := r.Func(fn)
	f.Place(pc)
	for _, s := range f.Chain(pc) {
		for _, v := range s.Vars {
			v.Locate(pc, noFrame{})
			n++
		}
	}
	return n
}

// BenchmarkDWARFLaunch measures a session of the terminal's debugger with a program of 50 MB of DWARF:
// it is launched, runs to a breakpoint on a line of its source, shows the place, and ends.
func BenchmarkDWARFLaunch(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "large.wasm")
	if err := os.WriteFile(path, largeModule(), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "src"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "u0.cc"), bytes.Repeat([]byte("int x;\n"), 100), 0o644); err != nil {
		b.Fatal(err)
	}
	var stops time.Duration
	for b.Loop() {
		out := stopWatch{began: time.Now()}
		o := termdbg.Options{
			Launch: dap.Launch{Program: path, Invoke: "run", Args: []string{"1"}, SourcePaths: []string{dir}},
			Server: dap.Config{Load: launch.Load}, In: strings.NewReader(""), Out: &out, Err: &out,
			Commands: []termdbg.Script{{Line: "break u0.cc:12"}, {Line: "run"}, {Line: "locals"}}, Batch: true,
		}
		if code := termdbg.Run(b.Context(), o); code != 0 || !strings.Contains(out.String(), "breakpoint 1: ") {
			b.Fatal(code, out.String())
		}
		stops += out.stop
	}
	b.ReportMetric(float64(stops.Milliseconds())/float64(b.N), "first-stop-ms")
}

// stopWatch is the output of a debugger. It notes when the debugger says that the program has
// stopped.
type stopWatch struct {
	bytes.Buffer
	began time.Time
	stop  time.Duration
}

func (w *stopWatch) Write(b []byte) (int, error) {
	if w.stop == 0 && bytes.Contains(b, []byte("Stopped at breakpoint")) {
		w.stop = time.Since(w.began)
	}
	return w.Buffer.Write(b)
}

// BenchmarkDWARFStep measures steps over a line, each with the frames and the locals that a client
// asks for after it, in a program of 50 MB of DWARF.
func BenchmarkDWARFStep(b *testing.B) {
	path := filepath.Join(b.TempDir(), "large.wasm")
	if err := os.WriteFile(path, largeModule(), 0o644); err != nil {
		b.Fatal(err)
	}
	p, err := launch.Load(&dap.Launch{Program: path, Invoke: "run", Args: []string{"1"}})
	if err != nil {
		b.Fatal(err)
	}
	stops := make(chan debugger.Stop, 1)
	e := debugger.NewEngine(p, debugger.Options{OnStop: func(s debugger.Stop) { stops <- s }, StopOnEntry: true})
	e.Start()
	stop := <-stops
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		if n%5 == 4 { // before the function returns
			if err := e.Do(func() {
				lines, _, _ := e.Inspector.Trace(stop.Stack, 0, 1)
				_, _, err = e.Stepper.RestartFrame(lines[0].Frame)
			}); err != nil {
				b.Fatal(err)
			}
		} else if err := e.Stepper.Prepare(debugger.Over, debugger.ByLine, stop.Stack, false); err == nil {
			e.Resume()
			stop = <-stops
		}
		if doErr := e.Do(func() {
			lines, _, _ := e.Inspector.Trace(stop.Stack, 0, 20)
			if vs := e.Inspector.SourceLocals(lines[0].Frame); len(vs) == 0 {
				err = errors.New("no locals")
			}
		}); doErr != nil || err != nil {
			b.Fatal(doErr, err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
	e.Kill()
	<-e.Done()
}

// described returns functions with scopes.
func described(b *testing.B, r debuginfo.Reader, m *wasm.Module) (out []uint32) {
	for i := range m.Funcs {
		if f := r.Func(uint32(i)); f != nil && f.Root != nil {
			out = append(out, uint32(i))
		}
	}
	if len(out) == 0 {
		b.Fatal("no function has DWARF")
	}
	return out
}

// BenchmarkDWARF measures what a debugger asks of 50 MB of DWARF.
func BenchmarkDWARF(b *testing.B) {
	in, size := dwarfInput(b)
	must := func(b *testing.B) debuginfo.Reader {
		r, err := dwarf.Open(in)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	warm := must(b)
	funcs := described(b, warm, in.Module)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	b.Run("first", func(b *testing.B) { // open, resolve a breakpoint, stop there
		for i := range b.N {
			r := must(b)
			f := warm.Func(funcs[i%len(funcs)]).Rows[0].File
			for _, x := range r.Files() {
				if x.Path == f.Path {
					r.Lines(x)
				}
			}
			stop(r, funcs[i%len(funcs)], 5)
		}
		b.ReportMetric(float64(size)/1e6, "MB")
	})
	b.Run("open", func(b *testing.B) {
		for range b.N {
			must(b)
		}
	})
	b.Run("step", func(b *testing.B) { // a function that was seen before
		for i := range b.N {
			stop(warm, funcs[i%len(funcs)], 5)
		}
	})
	b.Run("cold", func(b *testing.B) { // a function of a unit that was seen before, or not
		r := must(b)
		for i := range b.N {
			if i%len(funcs) == 0 {
				r = must(b)
			}
			stop(r, funcs[i%len(funcs)], 5)
		}
	})
	b.Run("name", func(b *testing.B) { // the first look-up of a name
		for range b.N {
			must(b).Type("u7::Type9")
		}
	})
	b.Run("memory", func(b *testing.B) { // kept when everything was asked for
		for range b.N {
			before := heap()
			r := must(b)
			for _, f := range r.Files() {
				r.Lines(f)
			}
			for _, fn := range funcs {
				stop(r, fn, 5)
			}
			r.Type("u7::Type9")
			r.Globals(funcs[0])
			b.ReportMetric(float64(heap()-before)/float64(size), "x-sections")
			runtime.KeepAlive(r)
		}
	})
}

package dap_test

import (
	"testing"

	godap "github.com/google/go-dap"
)

// TestFrameRangeByClient: a client that selects the range of a frame gets none, since the next key
// would replace the statement; every other client gets the range to draw it. That holds for every
// frame of every stack, at a stop at `)` too.
func TestFrameRangeByClient(t *testing.T) {
	path := wat(t, `(module
  (type $f (func)) (type $c (cont $f)) (tag $y)
  (elem declare func $g)
  (func $g (suspend $y))
  (func $inner (local $k (ref null $c))
    (block $on (result (ref $c))
      (resume $c (on $y $on) (cont.new $c (ref.func $g)))
      (return))
    (local.set $k)
    (nop)
    )
  (func (export "main") (call $inner)))
`)
	for id, ends := range map[string]bool{"vscode": false, "vscodium": false, "code-server": false, "test": true, "": true, "neovim": true, "Visual Studio": true} {
		t.Run(id, func(t *testing.T) {
			c := real(t)
			c.must(
				"initialize",
				godap.InitializeRequestArguments{
					AdapterID: "wasm", ClientID: id, LinesStartAt1: true, ColumnsStartAt1: true,
					PathFormat: "path",
				},
				nil,
			)
			c.must("launch", map[string]any{"program": path, "stopOnEntry": true}, nil)
			c.await("initialized", nil)
			c.must("configurationDone", nil, nil)
			c.stopped()
			frames := 0
			for range 5 {
				var ts godap.ThreadsResponseBody
				c.must("threads", nil, &ts)
				for _, th := range ts.Threads {
					var st godap.StackTraceResponseBody
					c.must("stackTrace", godap.StackTraceArguments{ThreadId: th.Id}, &st)
					for _, f := range st.StackFrames {
						if f.Line == 0 {
							continue
						}
						if frames++; f.Column == 0 || (f.EndLine != 0) != ends || (f.EndColumn != 0) != ends {
							t.Errorf(
								"frame %s at %d:%d ends at %d:%d", f.Name, f.Line, f.Column, f.EndLine, f.EndColumn,
							)
						}
					}
				}
				c.must("stepIn", godap.StepInArguments{ThreadId: 1}, nil)
				if c.stopped() == "" {
					break
				}
			}
			if frames < 5 {
				t.Errorf("only %d frames", frames)
			}
		})
	}
}

package dap_test

import (
	"context"
	"fmt"
	"net"

	godap "github.com/google/go-dap"

	"stackscope/dap"
	"stackscope/internal/launch"
)

// A client launches a program, waits for its first stop and lists the stacks.
func ExampleServe() {
	here, there := net.Pipe()
	served := make(chan error)
	go func() { served <- dap.Serve(context.Background(), there, dap.Config{Load: launch.Load}) }()

	stopped := make(chan bool, 1)
	c := dap.NewClient(here, func(m *dap.Message) {
		if m != nil && m.Event == "stopped" {
			stopped <- true
		}
	}, nil)
	request := func(command string, args, body any) {
		if err := c.Request(command, args, body); err != nil {
			fmt.Println(command, err)
		}
	}
	const program = "../testdata/examples/cont/generator.wat"
	request("initialize", map[string]any{"adapterID": "wasm"}, nil)
	request("launch", map[string]any{"program": program}, nil)
	var set godap.SetFunctionBreakpointsResponseBody
	request("setFunctionBreakpoints", map[string]any{"breakpoints": []any{map[string]any{"name": "$elements"}}}, &set)
	fmt.Println("breakpoint verified:", set.Breakpoints[0].Verified)
	request("configurationDone", nil, nil)
	<-stopped

	var list godap.ThreadsResponseBody
	request("threads", nil, &list)
	for _, t := range list.Threads {
		fmt.Println(t.Name)
	}
	request("disconnect", nil, nil)
	fmt.Println("served:", <-served)
	// Output:
	// breakpoint verified: true
	// #2 $elements · running
	// #1 main · waiting for #2
	// served: <nil>
}

package check

import (
	"encoding/json"
	"strings"
)

// gate returns the capability that the client needs to be offered before it sends a request; empty:
// none.
func gate(command string) string {
	switch command {
	case "configurationDone":
		return "supportsConfigurationDoneRequest"
	case "setFunctionBreakpoints":
		return "supportsFunctionBreakpoints"
	case "setInstructionBreakpoints":
		return "supportsInstructionBreakpoints"
	case "setDataBreakpoints", "dataBreakpointInfo":
		return "supportsDataBreakpoints"
	case "stepBack", "reverseContinue":
		return "supportsStepBack"
	case "goto", "gotoTargets":
		return "supportsGotoTargetsRequest"
	case "stepInTargets":
		return "supportsStepInTargetsRequest"
	case "setVariable":
		return "supportsSetVariable"
	case "setExpression":
		return "supportsSetExpression"
	case "restartFrame":
		return "supportsRestartFrame"
	case "completions", "modules", "loadedSources", "readMemory", "writeMemory", "disassemble", "cancel", "terminate",
		"terminateThreads", "restart", "exceptionInfo", "breakpointLocations":
		return "supports" + strings.ToUpper(command[:1]) + command[1:] + "Request"
	}
	return ""
}

// declare reads what the client can do.
func (c *Checker) declare() {
	var args map[string]json.RawMessage
	decode(c.m.Arguments, &args)
	for k, v := range args {
		c.client[k] = isTrue(v)
	}
}

// offer reads what the adapter can do.
func (c *Checker) offer(caps map[string]json.RawMessage) {
	for k, v := range caps {
		c.adapter[k] = v
	}
}

// offers reports if a capability is on.
func (c *Checker) offers(name string) bool { return isTrue(c.adapter[name]) }

// gated checks that the client only asks for what is offered.
func (c *Checker) gated(a *asked) {
	if !c.answered {
		return
	}
	if g := gate(a.Command); g != "" && !c.offers(g) {
		c.bad(AdapterCapability, "%s is sent; the adapter does not offer %s", a.Command, g)
	}
	var args map[string]json.RawMessage
	decode(a.Arguments, &args)
	for field, g := range map[string]string{
		"singleThread": "supportsSingleThreadExecutionRequests", "granularity": "supportsSteppingGranularity", "filterOptions": "supportsExceptionFilterOptions",
		"exceptionOptions": "supportsExceptionOptions", "terminateDebuggee": "supportTerminateDebuggee", "suspendDebuggee": "supportSuspendDebuggee",
	} {
		if v, ok := args[field]; ok && c.o.Schema != nil && c.o.Schema.Request(a.Command) && a.Command != "launch" &&
			a.Command != "attach" &&
			!c.offers(g) &&
			string(v) != "false" &&
			string(v) != "[]" {
			c.bad(AdapterCapability, "%s has %s; the adapter does not offer %s", a.Command, field, g)
		}
	}
}

// executed checks that the adapter does only what it offers.
func (c *Checker) executed(a *asked) {
	if g := gate(a.Command); g != "" && !c.offers(g) {
		c.bad(AdapterCapability, "%s is executed; the adapter does not offer %s", a.Command, g)
	}
}

// declared checks that the client supports the event.
func (c *Checker) declared() {
	need := ""
	switch c.m.Event {
	case "memory":
		need = "supportsMemoryEvent"
	case "invalidated":
		need = "supportsInvalidatedEvent"
	case "progressStart", "progressUpdate", "progressEnd":
		need = "supportsProgressReporting"
	case "capabilities":
		var b struct{ Capabilities map[string]json.RawMessage }
		decode(c.m.Body, &b)
		c.offer(b.Capabilities)
	case "output":
		var b struct{ Output string }
		decode(c.m.Body, &b)
		if strings.Contains(b.Output, "\x1b[") && c.offers("supportsANSIStyling") && !c.client["supportsANSIStyling"] {
			need = "supportsANSIStyling"
		}
	}
	if need != "" && !c.client[need] {
		c.bad(ClientCapability, "the event %s is sent; the client did not declare %s", c.m.Event, need)
	}
}

// reverse checks that the client can do what the adapter asks for.
func (c *Checker) reverse() {
	need := ""
	switch c.m.Command {
	case "runInTerminal":
		need = "supportsRunInTerminalRequest"
	case "startDebugging":
		need = "supportsStartDebuggingRequest"
	}
	if need != "" && !c.client[need] {
		c.bad(ClientCapability, "the request %s is sent; the client did not declare %s", c.m.Command, need)
	}
}

package config

// settingText is what people read about a setting: in docs/reference/launch.md and in the
// extension's package.json, which are generated from it.
type settingText struct {
	text    string
	initial any // the value without the setting; nil: there is none, or the text names it
	example any // what an editor fills in; nil: initial
}

// launchTexts describes every setting of a launch configuration, by key.
var launchTexts = map[string]settingText{
	"program": {text: "The .wat, .wasm or .wast file to run.", example: "${file}"},
	"invoke":  {text: "The export to call. Default: `_start`, else `main`, else the only exported function."},
	"args": {
		text:    "Arguments of the export: 42, \"i64:42\", \"f32:nan\", \"ref.null\".",
		initial: []string{},
	},
	"drive": {text: "Script that calls the exports on an event loop, instead of `invoke`: " +
		"see docs/reference/drive.md. By convention its name ends in `.drive`."},
	"promising": {
		text:    "Exports whose calls can wait for promises (JavaScript Promise Integration).",
		initial: []string{},
	},
	"suspending": {
		text: "Imports, as \"MODULE.NAME\", whose calls wait for the promise that they return " +
			"(JavaScript Promise Integration).",
		initial: []string{},
	},
	"dialect": {text: "Stack-switching dialect for modules that do not declare one. " +
		"none: WebAssembly 3.0 without stack switching."},
	"imports": {text: "Modules to link: import module name → file. " +
		"Also accepted: a list of \"NAME=FILE\"."},
	"env": {text: "Environment variables of the program (WASI): name → value. " +
		"Also accepted: a list of \"NAME=VALUE\"."},
	"dirs": {text: "Directories that the program can use (WASI), as \"GUEST=HOST\" or \"HOST\". " +
		"Also accepted: an object of guest → host."},
	"cwd": {text: "Directory that relative paths in this configuration start from. " +
		"Default: the working directory of the debug adapter."},
	"line": {text: "Line of one command of a .wast script. " +
		"The commands before it run without stopping, and the program ends after it. Default: all commands."},
	"stopOnEntry": {text: "Stop at the first instruction; in a script, at the first command that runs code. " +
		"Default in VS Code: only if no enabled breakpoint can stop the program."},
	"stopUnlessBreakpoint": {
		text:    "Stop on entry if none of the client's breakpoints can stop the program. Set by clients.",
		initial: false,
	},
	"noDebug": {
		text:    "Run the program without debugging it: no breakpoint, exception or step stops it.",
		initial: false,
	},
	"limits": {text: "Resource limits of the program; 0 is the default of each."},
	"limits.fuel": {text: "Trap after this many calls, loop iterations and stack switches. " +
		"Default: unlimited.", initial: 0},
	"limits.maxMemory": {text: "Bytes that the program can allocate: memories, tables, objects, exceptions and " +
		"stacks. Default: 4 GiB for memories and 1 GiB for everything else.", initial: 0},
	"limits.maxStacks": {text: "Stacks that can be alive at the same time. Default: 2,000,000.", initial: 0},
	"limits.maxDepth":  {text: "Frames of one stack. Default: 100,000.", initial: 0},
	"maxThreads": {
		text:    "Maximum number of stacks in the list of threads (the Call Stack view).",
		initial: DefaultMaxThreads,
	},
	"history": {
		text: "Stack events to record: none (off), without the values passed between stacks (switches), " +
			"or with them (full).",
		initial: "switches",
	},
	"historyEvents": {
		text: "Number of stack events to keep. Limits how far back the debugger can say who consumed a " +
			"reference. Each takes 48 bytes.",
		initial: HistorySize,
	},
	"stepping": {
		text:    "stack: Step Over stays on its stack. control: every step follows control to other stacks.",
		initial: "stack",
	},
	"trace":    {text: "Write every stack event to the console.", initial: false},
	"wasiArgs": {text: "Command-line arguments of the program (WASI).", initial: []string{}},
	"cancelTag": {text: "Tag of the exception that Terminate Thread throws into a continuation. " +
		"Default: the continuation is released."},
	"stdin":     {text: "Text that the program reads from standard input."},
	"stdinFile": {text: "File that the program reads from standard input."},
	"console":   {text: "Where the program runs.", initial: ConsoleInternal},
	"childSessions": {
		text:    "Start a separate debug session for each file with a linked module.",
		initial: false,
	},
	"disassembly": {
		text:    "fused: the disassembly also shows the fused operations that each instruction became.",
		initial: "wat",
	},
	"printedUris": {
		text: "Name the printed text of a binary module by a `wasm-text:` URI instead of a source reference. " +
			"Set by clients that can open such URIs.",
		initial: false,
	},
	"sourceMap": {text: "Where sources are: prefix that the compiler recorded → prefix here. " +
		"The first prefix that matches whole elements of a path counts. " +
		"Also accepted: the forms of `substitutePath`."},
	"substitutePath": {text: "The same as `sourceMap`, as a list of {\"from\": …, \"to\": …}. " +
		"Rules of `sourceMap` are tried first."},
	"sourcePaths": {text: "Directories in which sources with relative paths are looked for, and sources that are " +
		"not where the compiler had them, by the last elements of their paths. " +
		"The directory of the module is tried first."},
	"skipFiles": {text: "Sources whose code steps pass by and whose frames are folded, as globs: `**/lib/**`. " +
		"A glob with `!` takes out what those before it match. `<runtime>` is the functions of a language's runtime.",
		example: []string{"<runtime>"}},
	"printers": {text: "Files with printers of library types, besides those that are built in: " +
		"see docs/reference/printers.md."},
	"host": {text: "Who offers imports, besides the host: a JavaScript module that the compiler emitted, or a " +
		"WebAssembly module as \"NAME=FILE\"."},
	"view": {text: "Text that frames of compiled functions are shown in: their source, or the text format (wat).",
		initial: "source"},
}

// attachTexts describes the settings of an attach configuration that are not those of a launch
// configuration, or mean something else.
var attachTexts = map[string]settingText{
	"connect": {
		text: "Loopback address that `wasm-dap run --listen` printed, or " +
			"`${command:stackscope.pickProcess}` to choose a running program.",
		example: "127.0.0.1:",
	},
	"stopOnEntry": {
		text:    "Stop a program that waits for its first session (`--wait`) before its first instruction.",
		initial: false,
	},
	"skipFiles": {
		text: "As in a launch configuration. It applies to all sessions of the program. " +
			"Default: what the program was run with (`--skip`).",
		example: []string{"<runtime>"},
	},
	"view": {
		text: "As in a launch configuration. It applies to all sessions of the program. " +
			"Default: what the program was run with (`--view`).",
		example: "source",
	},
	"module": {text: "Show only the stacks that run a function of this file. Set by the adapter for child sessions."},
}

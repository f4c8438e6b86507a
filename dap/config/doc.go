// Package config is the launch and attach configurations of the debug adapter.
//
// [Launch] and [Attach] are the configurations as Go values. [ParseLaunch] and [ParseAttach] read
// them from the arguments of a request: a value of the wrong type is an error, an unknown setting
// is a warning that names the setting that was probably meant.
//
// [Settings] lists every setting with its type, default value and description. The reference page
// docs/reference/launch.md and the debugger section of the extension's package.json are generated
// from it.
package config

// Package lsp serves the Language Server Protocol 3.18 for WebAssembly text, scripts and binary
// modules. It converts between spans and positions of the protocol and keeps the state of a
// session; what there is to answer comes from packages analysis and analysis/ide.
//
// Serve runs one session over a byte stream, ServeListener one for each connection of a listener:
//
//	err := lsp.Serve(ctx, stream, lsp.Options{Log: log, Version: "1.2"})
//
// # Parts
//
// A Server reads the messages of a session in their order. Its parts answer: navigation,
// presentation (what an editor shows), editing, checker (diagnostics), documents, settings, and the
// requests of our own. They share a session: the client, the documents, the files of the workspace.
//
// Notifications are handled one after the other; a new text is analysed while reading goes on. A
// request runs concurrently with everything else. It sees the documents as they were at its place
// in the stream, and waits only for the texts that it is about. Everything that a client can pile
// up has a bound: docs/design/architecture.md lists the queues.
//
// # Beyond the protocol
//
// Settings, Requests and Commands describe the settings, the requests `stackscope/…` and the
// commands of code lenses; docs/reference is generated from them.
package lsp

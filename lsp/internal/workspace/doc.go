// Package workspace holds what a session works on: the versions of the open documents, the
// settings, and the files of the workspace's folders that nobody has opened.
//
// A Store holds the open documents; each version is a Document, whose snapshot is made once. A View
// is the set of documents at a moment. A World joins a View with the Files on disk, and finds the
// modules that imports name:
//
//	w := workspace.NewWorld(store.View(), store.Settings(), files)
//	d := w.Doc("/project/main.wat")
//	problems := w.Diagnostics(d)
//
// UnitCache remembers answers by the units of a document, which an edit elsewhere leaves as they
// are.
package workspace

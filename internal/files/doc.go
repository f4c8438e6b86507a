// Package files reads files that people and programs name: only regular files, of a bounded size.
// Reading ends when its context does.
package files

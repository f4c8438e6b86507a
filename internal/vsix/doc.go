// Package vsix checks packages of the VS Code extension: Check reports whether a package names its
// platform and holds the programs for it.
package vsix

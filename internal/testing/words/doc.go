// Package words tests the language of the tree: words that the field does not use, and lines that
// are too long. docs/glossary.md has the words to use instead.
package words

package debugger

import "unicode/utf8"

// partial is what each stream was given of a character whose other bytes are still to come: a
// program may write a text in pieces of any length.
type partial [Console + 1]string

// whole returns the characters that are whole now, and keeps the rest.
func (p *partial) whole(s Stream, text string) string {
	text = p[s] + text
	n := len(text)
	for k := 1; k < utf8.UTFMax && k <= n; k++ {
		if b := text[n-k:]; utf8.RuneStart(b[0]) {
			if !utf8.FullRuneInString(b) {
				n -= k
			}
			break
		}
	}
	p[s] = text[n:]
	return text[:n]
}

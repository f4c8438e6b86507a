package main

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// columns is the width of prose.
const columns = 100

var item = regexp.MustCompile(`^\s*([-*]|\d+\.) `)

// wrap breaks the lines of paragraphs and list items that are longer than prose may be. Tables,
// headings and code keep their lines.
func wrap(text string) string {
	var out []string
	fenced := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		switch {
		case fenced, utf8.RuneCountInString(line) <= columns, strings.HasPrefix(line, "|"),
			strings.HasPrefix(line, "#"), strings.HasPrefix(line, "    ") && item.FindString(line) == "":
			out = append(out, line)
		default:
			out = append(out, fold(line)...)
		}
	}
	return strings.Join(out, "\n")
}

// fold breaks one line.
func fold(line string) []string {
	lead := item.FindString(line)
	rest := strings.Repeat(" ", utf8.RuneCountInString(lead))
	var out []string
	now := lead
	for _, w := range strings.Fields(line[len(lead):]) {
		switch {
		case strings.TrimSpace(now) == "" || now == lead:
			now += w
		case utf8.RuneCountInString(now)+1+utf8.RuneCountInString(w) > columns:
			out = append(out, now)
			now = rest + w
		default:
			now += " " + w
		}
	}
	return append(out, now)
}

package sourcemap

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"sort"
	"strings"
)

// MaxSize is the size in bytes of the largest map that is read.
const MaxSize = 128 << 20

// The bounds of what a map may have, whatever its size.
const (
	maxSources  = 1 << 20
	maxMappings = 16 << 20
	maxSections = 1 << 16
)

// Map is a source map.
type Map struct {
	Sources  []Source
	Names    []string
	Mappings []Mapping // ascending by Offset
	Root     string    // `sourceRoot`, as it is written
	// Warnings are the problems of what was left out.
	Warnings []string

	scopes []part // `scopes`, by section; not decoded
}

// Source is a file that a map names.
type Source struct {
	Path    string  // joined with `sourceRoot`
	Raw     string  // as it is written
	Content *string // from `sourcesContent`; nil: none
	Ignored bool    // in `ignoreList`
	None    bool    // `null`, or without a name: its mappings lead nowhere
}

// Mapping is the place of the bytes of a module from Offset on, up to the next Mapping.
type Mapping struct {
	Offset uint32
	Source int32 // index in Sources; -1: they have no place
	Line   int32 // from 0
	Col    int32 // from 0, in UTF-16 units
	Name   int32 // index in Names; -1: none
}

// part is the `scopes` of a map, or of a section of an index map: its numbers count from the first
// source and name of the section.
type part struct {
	encoded       string
	source, names int
	sources       int
	offset        uint32
}

type jsonMap struct {
	Version        json.RawMessage   `json:"version"`
	SourceRoot     *string           `json:"sourceRoot"`
	Sources        list[*string]     `json:"sources"`
	SourcesContent list[*string]     `json:"sourcesContent"`
	Names          list[loose]       `json:"names"`
	Mappings       *string           `json:"mappings"`
	IgnoreList     list[int]         `json:"ignoreList"`
	GoogleIgnore   list[int]         `json:"x_google_ignoreList"`
	Scopes         *string           `json:"scopes"`
	Sections       list[jsonSection] `json:"sections"`
}

// list is a list of bounded length: a few bytes of JSON can stand for many of memory.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if bytes.Count(b, []byte{','}) < maxSources { // there are no more elements than commas
		return json.Unmarshal(b, (*[]T)(l))
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errors.New("not a list")
	}
	*l = list[T]{}
	for dec.More() {
		if len(*l) >= maxSources {
			return fmt.Errorf("a list of more than %d", maxSources)
		}
		var x T
		if err := dec.Decode(&x); err != nil {
			return err
		}
		*l = append(*l, x)
	}
	return nil
}

// loose is a string; what is none is "".
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (s *loose) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = loose(text)
	}
	return nil
}

type jsonSection struct {
	Offset struct{ Line, Column int64 } `json:"offset"`
	URL    *string                      `json:"url"`
	Map    *jsonMap                     `json:"map"`
}

// Parse reads a source map. What is wrong with a part of it is in Warnings, and that part is left
// out; the error is about the whole.
func Parse(data []byte) (*Map, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("the source map is larger than %d MiB", MaxSize>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte(")]}")) { // against inclusion as a script
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	var j jsonMap
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("not a source map: %w", err)
	}
	if v := string(j.Version); v != "3" {
		if v == "" {
			return nil, errors.New("not a source map: it has no version")
		}
		return nil, fmt.Errorf("a source map of version %.20s; only version 3 is supported", v)
	}
	m := &Map{}
	if j.Sections == nil {
		if err := m.add(&j, 0); err != nil {
			return nil, err
		}
		return m, nil
	}
	if len(j.Sections) > maxSections {
		return nil, fmt.Errorf("the source map has more than %d sections", maxSections)
	}
	last := int64(-1)
	for i, s := range j.Sections {
		switch {
		case s.Offset.Line != 0:
			m.warn("section %d of the source map is for a line of a text, and a module has none", i)
		case s.Offset.Column <= last || s.Offset.Column >= 1<<32:
			m.warn("section %d of the source map is out of order", i)
		case s.Map == nil:
			m.warn("section %d of the source map has no map", i)
		case s.Map.Sections != nil:
			m.warn("section %d of the source map is an index map itself", i)
		default:
			last = s.Offset.Column
			// What a section says ends where the next one begins.
			at := sort.Search(len(m.Mappings), func(k int) bool { return int64(m.Mappings[k].Offset) >= last })
			m.Mappings = m.Mappings[:at]
			if err := m.add(s.Map, uint32(last)); err != nil {
				m.warn("section %d: %v", i, err)
			}
		}
	}
	return m, nil
}

func (m *Map) warn(format string, args ...any) {
	if len(m.Warnings) < 10 {
		m.Warnings = append(m.Warnings, fmt.Sprintf(format, args...))
	}
}

// add adds a map without sections, whose offsets count from one.
func (m *Map) add(j *jsonMap, offset uint32) error {
	first, names := len(m.Sources), len(m.Names)
	if first+len(j.Sources) > maxSources || names+len(j.Names) > maxSources {
		return fmt.Errorf("the source map has more than %d sources or names", maxSources)
	}
	root := ""
	if j.SourceRoot != nil {
		root = *j.SourceRoot
	}
	if offset == 0 {
		m.Root = root
	}
	for i, s := range j.Sources {
		src := Source{None: s == nil || *s == ""}
		if !src.None {
			src.Raw, src.Path = *s, Join(root, *s)
		}
		if i < len(j.SourcesContent) {
			src.Content = j.SourcesContent[i]
		}
		m.Sources = append(m.Sources, src)
	}
	ignored := j.IgnoreList
	if ignored == nil {
		ignored = j.GoogleIgnore
	}
	for _, i := range ignored {
		if i >= 0 && i < len(j.Sources) {
			m.Sources[first+i].Ignored = true
		}
	}
	for _, n := range j.Names {
		m.Names = append(m.Names, string(n))
	}
	if j.Scopes != nil && *j.Scopes != "" {
		m.scopes = append(m.scopes, part{*j.Scopes, first, names, len(j.Sources), offset})
	}
	if j.Mappings == nil {
		if j.Scopes == nil {
			return errors.New("the source map has no mappings")
		}
		return nil
	}
	m.mappings(*j.Mappings, offset, len(j.Sources), len(j.Names), first, names)
	return nil
}

// mappings decodes the `mappings` of a map with some sources and names, of which the first are
// source and name of m. Only the first line counts.
func (m *Map) mappings(s string, offset uint32, sources, names, source, name int) {
	if line, rest, more := strings.Cut(s, ";"); more {
		s = line
		if strings.Trim(rest, ";") != "" {
			m.warn("the source map has mappings of more than one line, as for a text: only the first line counts")
		}
	}
	r := vlqReader{s: s}
	var off, src, line, col, nm int64
	start := len(m.Mappings)
	sorted, bad := true, 0
	for !r.eof() {
		if r.skip(',') {
			continue
		}
		var v [5]int64
		n := 0
		for n < 5 && r.more() {
			v[n] = r.signed()
			n++
		}
		off += v[0]
		if r.err || r.more() || n != 1 && n != 4 && n != 5 || off < 0 || off+int64(offset) >= 1<<32 {
			bad++
			if r.err || off < 0 || off >= 1<<32 {
				break // the numbers that follow count from this one
			}
			r.toComma()
			continue
		}
		mp := Mapping{Offset: uint32(off) + offset, Source: -1, Name: -1}
		if n >= 4 {
			src, line, col = src+v[1], line+v[2], col+v[3]
			if n == 5 {
				nm += v[4]
				if nm >= 0 && nm < int64(names) {
					mp.Name = int32(name) + int32(nm)
				}
			}
			if src < 0 || src >= int64(sources) || line < 0 || line >= 1<<31-1 || col < 0 || col >= 1<<31-1 {
				bad++
				continue
			}
			mp.Line, mp.Col = int32(line), int32(col)
			if !m.Sources[source+int(src)].None {
				mp.Source = int32(source) + int32(src)
			}
		}
		if k := len(m.Mappings); k > start && m.Mappings[k-1].Offset > mp.Offset {
			sorted = false
		}
		if len(m.Mappings) >= maxMappings {
			m.warn("the source map has more than %d mappings; the others are left out", maxMappings)
			break
		}
		m.Mappings = append(m.Mappings, mp)
	}
	if bad > 0 {
		m.warn("the source map has %d malformed mappings, which are left out", bad)
	}
	if !sorted {
		part := m.Mappings[start:]
		sort.SliceStable(part, func(i, k int) bool { return part[i].Offset < part[k].Offset })
	}
}

// Join joins the path or URL of a source with what it is relative to. Slashes of both kinds count;
// the result has `/`, and no `.` or `..` that could be left out.
func Join(root, src string) string {
	src = slashed(src)
	if root != "" && !isAbs(src) {
		src = strings.TrimSuffix(slashed(root), "/") + "/" + src
	}
	if rest, ok := strings.CutPrefix(src, "file://"); ok {
		if p, err := url.PathUnescape(rest); err == nil {
			rest = p
		}
		if i := strings.IndexByte(rest, '/'); i > 0 && rest[:i] == "localhost" {
			rest = rest[i:]
		}
		if len(rest) > 2 && rest[0] == '/' && isDrive(rest[1:]) {
			rest = rest[1:]
		}
		src = rest
	}
	if i := strings.Index(src, "://"); i > 0 {
		return src // a URL: `..` may mean something to it
	}
	return path.Clean(src)
}

// slashed returns a path with slashes. A backslash counts as one if the path is one of Windows: it
// has no slash, or begins with a drive.
func slashed(p string) string {
	if strings.Contains(p, `\`) && (isDrive(p) || strings.HasPrefix(p, `\\`) || !strings.Contains(p, "/")) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

func isDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

// isAbs reports whether a path or URL is absolute, on any system.
func isAbs(p string) bool {
	return strings.HasPrefix(p, "/") || isDrive(p) || strings.Contains(p, "://")
}

// DataURL returns the contents of a `data:` URL.
func DataURL(u string) ([]byte, error) {
	rest, ok := strings.CutPrefix(u, "data:")
	if !ok {
		return nil, errors.New("not a data: URL")
	}
	kind, body, ok := strings.Cut(rest, ",")
	switch {
	case !ok:
		return nil, errors.New("a data: URL without data")
	case len(body) > MaxSize*4/3+4:
		return nil, fmt.Errorf("a data: URL of more than %d MiB", MaxSize>>20)
	}
	if plain, err := url.PathUnescape(body); err == nil {
		body = plain
	}
	if !strings.HasSuffix(strings.TrimSpace(kind), ";base64") {
		return []byte(body), nil
	}
	body = strings.TrimRight(body, "=")
	enc := base64.RawStdEncoding
	if strings.ContainsAny(body, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.DecodeString(body)
	if err != nil {
		return nil, fmt.Errorf("a data: URL: %w", err)
	}
	return b, nil
}

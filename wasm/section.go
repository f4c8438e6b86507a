package wasm

import "slices"

// The ids of the sections of the binary format.
const (
	SectionCustom uint8 = iota
	SectionType
	SectionImport
	SectionFunc
	SectionTable
	SectionMemory
	SectionGlobal
	SectionExport
	SectionStart
	SectionElem
	SectionCode
	SectionData
	SectionDataCount
	SectionTag
)

// LastSection is the section that stands last.
const LastSection = SectionData

// sectionNames are the sections as `(@custom …)` names them, by id.
var sectionNames = [...]string{
	"", "type", "import", "func", "table", "memory", "global", "export", "start", "elem", "code", "data",
	"datacount", "tag",
}

// SectionName returns the word for a section, as a place in an annotation `@custom` has it; "" for
// custom sections and unknown ids.
func SectionName(id uint8) string {
	if int(id) < len(sectionNames) {
		return sectionNames[id]
	}
	return ""
}

// SectionNamed finds a section by its word.
func SectionNamed(word string) (id uint8, ok bool) {
	for i, s := range sectionNames {
		if s == word && s != "" {
			return uint8(i), true
		}
	}
	return 0, false
}

// sectionOrder is the order in which sections stand.
var sectionOrder = [...]uint8{
	SectionType, SectionImport, SectionFunc, SectionTable, SectionMemory, SectionTag, SectionGlobal,
	SectionExport, SectionStart, SectionElem, SectionDataCount, SectionCode, SectionData,
}

// Sections returns the sections but for custom ones, in the order in which they stand.
func Sections() []uint8 { return sectionOrder[:] }

// HasSection reports whether a section of the module has contents. The data count section has if a
// body names a data segment: only then it is written, as tools for the first version of the format
// do not know it.
func (m *Module) HasSection(id uint8) bool {
	switch id {
	case SectionType:
		return len(m.Types) > 0
	case SectionImport:
		return len(m.Imports) > 0
	case SectionFunc, SectionCode:
		return len(m.Funcs) > m.NumImported(ExternFunc)
	case SectionTable:
		return len(m.Tables) > m.NumImported(ExternTable)
	case SectionMemory:
		return len(m.Mems) > m.NumImported(ExternMemory)
	case SectionGlobal:
		return len(m.Globals) > m.NumImported(ExternGlobal)
	case SectionTag:
		return len(m.Tags) > m.NumImported(ExternTag)
	case SectionExport:
		return len(m.Exports) > 0
	case SectionStart:
		return m.Start != BadIndex
	case SectionElem:
		return len(m.Elems) > 0
	case SectionData:
		return len(m.Datas) > 0
	case SectionDataCount:
		return m.usesData()
	}
	return false
}

// Position returns where a custom section stands among the sections: the less, the earlier. Those
// of the same position stand in their order in the module.
func (c *Custom) Position() int {
	for i, id := range sectionOrder {
		if id == c.Place {
			if c.Before {
				return 2*i + 1
			}
			return 2*i + 2
		}
	}
	if c.Place == SectionCustom {
		return 0
	}
	return 2*len(sectionOrder) + 1
}

// usesData reports whether a body names a data segment.
func (m *Module) usesData() bool {
	for i := range m.Funcs {
		for j := range m.Funcs[i].Body {
			if slices.Contains(m.Funcs[i].Body[j].Op.Info().Imms, ImmData) {
				return true
			}
		}
	}
	return false
}

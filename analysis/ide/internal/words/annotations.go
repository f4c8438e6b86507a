package words

// Annotations has a sentence about each annotation that means something, by its identifier.
// docs/design/annotations.md has more.
var Annotations = map[string]string{
	"name": "The name of the module, item, local or label before it, for the name section. " +
		"It may hold any characters.",
	"metadata.code.branch_hint": "Marks the next `if` or `br_if` as likely (`\"\\01\"`) or unlikely (`\"\\00\"`).",
	"custom":                    "A custom section.",
	"stack-switching":           "The stack-switching design of the module.",
	"lint.allow":                "Silences the warnings with these codes in the module, field or instruction that it is in.",
	"deprecated":                "Marks the field that it is in, or that follows it, as deprecated: its uses are reported.",
}

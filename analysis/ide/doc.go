// Package ide answers what an editor asks about a text: hover, completion, rename and the like. Its
// results are plain structs with spans; it knows no protocol. Every query takes a snapshot and an
// offset and works on texts with errors.
package ide

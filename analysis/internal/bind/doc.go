// Package bind makes the declarations of a module from its text: it gives every item an index and a
// name, finds the dialect, and reads types and fields.
//
//	d := bind.Module(text, units, name, dialect)
//
// A Binder also goes over the references of one unit (Walk), and Same reports whether an edit left
// the declarations as they were.
package bind

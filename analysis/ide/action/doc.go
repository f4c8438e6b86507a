// Package action offers code actions: changes of a text that an editor lists at a place.
//
// Selected returns the refactorings for a selection, Fixes the ways to mend a diagnostic, and
// FixAll applies every fix that keeps what the program does. All come from two tables, of
// refactorings and of quick fixes by diagnostic code; All describes their rows for the reference.
//
//	for _, r := range action.Refactors(snapshot, offset) {
//		fmt.Println(r.Kind, r.Title)
//	}
package action

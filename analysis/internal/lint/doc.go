// Package lint reports what is valid and yet likely a mistake: in one body (Body), in a module as a
// whole (Module), and the rules of the dialects that the validator does not have (Rules).
//
//	lint.Rules(body, report)
//	lint.Body(body, &typing, enabled, report)
//	findings := lint.Module(decls, text, uses)
package lint

// Package query has what the queries of an editor share: a Place in a text, found from an offset,
// and Types, which writes the types of a module with their names and types single instructions.
//
//	p := query.At(snapshot, offset)
//	if y, _, ok := p.Symbol(); ok {
//		t := query.NewTypes(p.Module)
//		fmt.Println(query.Display(y), t.Describe(y))
//	}
package query

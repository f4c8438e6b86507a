// Package completion returns what could stand at a place of a text.
//
// It reads only the tokens before the cursor, so half-written text does not disturb it. A scanner
// finds the open parentheses and the word being written; operands says how well something goes with
// the values on the operand stack; offers, pieces and externs collect items; a completer decides
// what the place calls for. The items come best first:
//
//	c := completion.Complete(snapshot, offset)
//	for _, it := range c.Items {
//		fmt.Println(it.Label, it.Detail)
//	}
package completion

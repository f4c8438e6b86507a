package snapshot

// EndKind is how a stack ended.
type EndKind uint8

// The ways to end.
const (
	Returned EndKind = iota // its function returned
	Retired                 // it ended itself, with a last event or message
	Released                // another stack released it, or the segment that it was in
	Threw                   // an exception left it
	Trapped                 // it was part of the chain that trapped
	Ended                   // the debugger ended it
)

// End is the end of a stack.
type End struct {
	Kind EndKind
	By   StackID // the stack that released it; itself if it retired; 0: nobody, or the host
	At   Site    // the instruction that ended it; of one that returned, no place
	Tag  string  // the event that it retired with, or the tag of the exception; "" if there is none
}

// Pending is an event that was sent to a stack and has arrived, and that the stack has not taken.
type Pending struct {
	Tag    string
	Values []string // the payload, as constants of the text format
}

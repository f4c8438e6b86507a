// Package wire reads and writes the messages of the Language Server Protocol on a connection: it
// answers malformed ones with an error and reads on, bounds the answers that a client does not
// read, and decodes large messages without holding them more than once.
//
//	c := wire.NewConn(stream)
//	conn := jsonrpc2.NewConn(wire.NewStream(c, log), jsonrpc2.WithCodec(wire.Codec{}))
package wire

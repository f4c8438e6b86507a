// Package loopback is how both servers, lsp and dap, listen: at loopback addresses only, a session
// for each connection, and nothing of what a web page can send.
//
// [Listen] opens a listener and checks the address that it is bound to, since a name such as
// localhost may resolve to anything. [Serve] runs Options.Session for each connection: a panic ends
// only its session, a connection on which no session is [Established] in time is closed, as is one
// that carries HTTP, and memory returns to the system after large sessions. [Check] and [Dial] are
// for clients.
package loopback

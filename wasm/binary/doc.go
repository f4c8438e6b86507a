// Package binary reads and writes the binary format: all of WebAssembly 3.0, typed continuations in
// the encoding of the upstream proposal, legacy exceptions, the extended name section, and custom
// sections at their places.
//
// Decode returns the module of a binary, or an *Error with the offset of what is malformed. Encode
// returns the binary of a module, or an *EncodeError where the format has no encoding for it.
//
// Both directions follow the instruction table (wasm.OpInfo.Enc and Imms). Decoding is strict and
// words its errors as the specification's suite does. Validation is the business of wasm/valid.
package binary

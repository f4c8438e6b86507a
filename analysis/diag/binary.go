package diag

// Binary is the code of what is wrong with a binary module, or keeps a module from being one. It
// has no example in the text format.
const Binary Code = "binary"

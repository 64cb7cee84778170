// Package pack puts passages into one text for a language model: within a budget of
// tokens, the best at both ends, each under a citation, and framed so that nothing in
// a document can pass for anything but its text.
package pack

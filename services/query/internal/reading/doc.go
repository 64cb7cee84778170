// Package reading tells what of a question is text to look for, and what says how:
// filters, text in quotes, alternatives, and what is to be left out. It goes by the
// writing alone and never looks at an index.
package reading

// Package terminal writes for people: widths, colours, numbers with their words,
// columns, and text of others that cannot steer the terminal.
package terminal

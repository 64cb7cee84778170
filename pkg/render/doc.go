// Package render turns answers into text for people. It is pure: it writes to
// the writer that it is given and asks nobody.
package render

// Package places finds the places of files that a question names: merge.go:93, the
// frames of a stack, the messages of a compiler, the hunks of a diff. It goes by the
// writing alone; which files there are is for others to say.
package places

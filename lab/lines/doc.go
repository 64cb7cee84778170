// Package lines asks for the lines of a tree that match patterns drawn from it,
// holds each answer against that of ripgrep on the same documents, and takes the
// time of both.
package lines

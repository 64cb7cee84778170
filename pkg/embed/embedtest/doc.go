// Package embedtest is a server of vectors for tests: it speaks the wire formats of
// providers as they are documented, with their limits and errors, counts what it is
// asked for, and fails as it is told. Its vectors are bags of words, so that what
// shares words is near.
package embedtest

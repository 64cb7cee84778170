// Package document is the vocabulary of freshet: the identities, versions,
// passages and errors that every other package speaks of. It imports nothing
// of freshet's own.
package document

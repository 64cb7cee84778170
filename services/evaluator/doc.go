// Package evaluator keeps golden questions, whose answers somebody knows, and says how
// well freshet answers them: as it is configured, and in other ways before they are. It
// asks as a client does, and keeps what it found.
package evaluator

// Package cli is the command line: one file per command. A command is a value
// of its own, its flags and the program that it shares with the others (package
// command), or a function where there is nothing to hold. It reads its flags,
// asks the running instance over NATS, and prints; it holds no logic of the
// pipeline.
package cli

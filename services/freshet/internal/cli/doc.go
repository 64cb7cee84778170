// Package cli is the command line: one file per command. A command reads its
// flags, asks the running instance over NATS, and prints; it holds no logic of
// the pipeline.
package cli

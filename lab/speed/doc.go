// Package speed measures the real program from outside, as a user would see
// it: indexing a tree, edits and pushes until both sinks show them, queries
// over NATS, and a restart. Every figure stands beside the load of the machine
// and a reference that is measured in the same run.
package speed

// Package query answers searches over the two sinks so that nothing in an
// answer contradicts the log, and tells the state of the whole system.
//
// A search goes through stages, each of which notes itself in the answer's
// trace: validate, barrier, analyse, recall, fuse, signals, resolve, assemble.
package query

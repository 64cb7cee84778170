// Package query answers searches over the two sinks so that nothing in an
// answer contradicts the log, and tells the state of the whole system.
//
// A search goes through stages, listed in stages.go: functions over the states of
// states.go, each of which the runner notes in the answer's trace.
package query

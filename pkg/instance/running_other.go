//go:build !unix

package instance

// Alive reports whether the process that announced r is there; here that is not
// known.
func (r Record) Alive() bool { return false }

// Running reports whether the process that announced r still holds the state
// folder at path; here that is not known.
func (r Record) Running(string) bool { return false }

// Stopped reports whether the process is known to be stopped.
func (r Record) Stopped() bool { return false }

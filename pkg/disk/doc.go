// Package disk keeps a part of a disk free: whoever is about to write much
// asks a Guard first.
package disk

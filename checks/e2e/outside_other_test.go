//go:build prove && !linux

package e2e

import "testing"

// watchOutside needs inotify. Elsewhere the words that stand outside have to
// do.
func watchOutside(*testing.T, string) func() []string { return func() []string { return nil } }

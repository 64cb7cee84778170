//go:build prove && !linux

package e2e

import "testing"

// withSmallDisk runs a test with an injected disk of that size.
func withSmallDisk(t *testing.T, size int64, run func(*testing.T, *smallDisk)) {
	t.Helper()
	run(t, injectedDisk(t, size))
}

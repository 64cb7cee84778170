// Package bustest starts a real log in the test's process.
package bustest

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
)

// New returns a Bus on a server of its own in a temporary folder, its streams
// made. Both end with the test.
func New(t testing.TB) *bus.Bus {
	t.Helper()
	_, b := NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	return b
}

// NewServer starts a server with cfg and connects to it.
func NewServer(t testing.TB, cfg embedded.Config) (*embedded.Server, *bus.Bus) {
	t.Helper()
	srv, err := embedded.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Shutdown(); err != nil {
			t.Errorf("shut the server down: %v", err)
		}
	})
	b, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return srv, b
}

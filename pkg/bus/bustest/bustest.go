// Package bustest starts a real log in the test's process.
package bustest

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// New returns a Bus on a server of its own in a temporary folder, its streams
// made. Both end with the test.
func New(t testing.TB) *bus.Bus {
	t.Helper()
	_, b := NewServer(t, bus.ServerConfig{Dir: t.TempDir(), Port: bus.NoListen})
	return b
}

// NewServer starts a server with cfg and connects to it.
func NewServer(t testing.TB, cfg bus.ServerConfig) (*bus.Server, *bus.Bus) {
	t.Helper()
	srv, err := bus.StartServer(cfg)
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
	if err := b.EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	return srv, b
}

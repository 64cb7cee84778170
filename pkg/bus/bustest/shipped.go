package bustest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest/shipped"
)

// Shipped starts the NATS server of docker-compose.yml by its configuration,
// with only its folder and ports exchanged. It returns the login of each user.
// The server ends with the test.
func Shipped(t *testing.T) func(user string) bus.Remote {
	t.Helper()
	s, err := shipped.Start(filepath.Join(root(t), "deploy/compose/nats.conf"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Login
}

// root is the folder of the module, looked for above that of the test's package.
// What the compiler knows of paths would not do: -trimpath takes it out.
func root(t *testing.T) string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
	}
	t.Fatal("no go.mod above the folder of the test")
	return ""
}

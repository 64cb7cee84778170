package bustest

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest/shipped"
)

// Shipped starts the NATS server of docker-compose.yml by its configuration,
// with only its folder and ports exchanged. It returns the login of each user.
// The server ends with the test.
func Shipped(t *testing.T) func(user string) bus.Remote {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	s, err := shipped.Start(filepath.Join(filepath.Dir(here), "../../../deploy/compose/nats.conf"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Login
}

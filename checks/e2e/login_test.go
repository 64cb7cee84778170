package e2e

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// login is the URL of a running instance with the login of who reads its log.
func login(t *testing.T, data, url string) string {
	t.Helper()
	run, err := instance.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if run.SecretFile == "" {
		return url // everybody is let in, or its server is not its own
	}
	remote, err := run.Remote(bus.UserServices)
	if err != nil {
		t.Fatal(err)
	}
	remote.URL = bus.HideUser(url)
	return remote.WithLogin()
}

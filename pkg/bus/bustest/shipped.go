package bustest

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Shipped starts the NATS server of docker-compose.yml by its configuration,
// with only its folder and ports exchanged. It returns the login of each user.
// The server ends with the test.
func Shipped(t *testing.T) func(user string) bus.Remote {
	t.Helper()
	password := func(user string) string { return "the-" + user + "-password" }
	var users []string
	for _, r := range contract.ServiceRights {
		users = append(users, r.Service)
	}
	for _, r := range contract.Roles {
		users = append(users, string(r))
	}
	for _, user := range users {
		t.Setenv("NATS_"+strings.ToUpper(user)+"_PASSWORD", `"`+password(user)+`"`)
	}
	_, here, _, _ := runtime.Caller(0)
	opts, err := server.ProcessConfigFile(filepath.Join(filepath.Dir(here), "../../../deploy/compose/nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	opts.Host, opts.Port, opts.HTTPPort, opts.StoreDir, opts.NoSigs, opts.NoLog = "127.0.0.1", server.RANDOM_PORT, 0, t.TempDir(), true, true
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	return func(user string) bus.Remote {
		return bus.Remote{URL: "nats://" + s.Addr().String(), User: user, Password: password(user)}
	}
}

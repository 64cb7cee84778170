package freshet

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// EnvURL is the environment variable that names a running instance.
const EnvURL = "FRESHET_NATS_URL"

// dialTimeout bounds the search for an instance, which mostly is on this host.
const dialTimeout = 2 * time.Second

// Dial connects to a running instance: to url, else to that of the environment
// variable FRESHET_NATS_URL, else to the one that runs on the state folder
// data ("" is the user's own). A login and certificates are those of the other
// variables FRESHET_NATS_…. The error is NotFound when none runs there, and
// Unavailable when nothing answers within two seconds or ctx's deadline, else
// as of bus.Remote. The caller closes the connection.
func Dial(ctx context.Context, url, data string) (*nats.Conn, error) {
	a, err := find(url, data)
	if err != nil {
		return nil, err
	}
	return a.dial(ctx)
}

// Find says how to reach the running instance that Dial connects to. Nothing
// is asked there, so it may be gone.
func Find(url, data string) (bus.Remote, error) {
	a, err := find(url, data)
	return a.remote, err
}

// address is where an instance is looked for.
type address struct {
	remote bus.Remote
	gone   func(cause error) error // that nothing answers there
}

func find(url, data string) (address, error) {
	name := "--nats " + bus.HideUser(url)
	if url == "" {
		if url = os.Getenv(EnvURL); url != "" {
			name = EnvURL + "=" + bus.HideUser(url)
		}
	}
	a := address{gone: func(cause error) error {
		return document.Errorf(document.Unavailable, "no NATS server answers at %s (%w): check the address, or start freshet with `freshet up PATH`", name, cause)
	}}
	if url == "" {
		path, err := state.Locate(data)
		if err != nil {
			return a, err
		}
		i, err := state.ReadInstance(path)
		if err != nil {
			return a, err
		}
		url = i.URL
		a.gone = func(error) error {
			return document.Errorf(document.NotFound, "the freshet that ran on %s (pid %d, %s) is gone: start it with `freshet up PATH`", path, i.PID, i.URL)
		}
	}
	var err error
	a.remote, err = environment()
	a.remote.URL = url
	return a, err
}

func (a address) dial(ctx context.Context) (*nats.Conn, error) {
	timeout := dialTimeout
	if at, ok := ctx.Deadline(); ok {
		timeout = min(timeout, max(time.Until(at), time.Millisecond))
	}
	nc, err := a.remote.Dial(nats.Name("freshet command line"), nats.Timeout(timeout), nats.NoReconnect())
	if document.KindOf(err) == document.Unavailable {
		return nil, a.gone(errors.Unwrap(err))
	}
	return nc, err
}

// environment is what the environment says of how to reach the NATS server.
func environment() (bus.Remote, error) {
	var own []string
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, config.Variable("nats")+"_") && !strings.HasPrefix(entry, EnvURL+"=") {
			own = append(own, entry)
		}
	}
	c, err := config.Load("", own...)
	return process.Remote(c.NATS), err
}

// DefaultState returns the user's own state folder, as an absolute path.
func DefaultState() (string, error) { return state.Default() }

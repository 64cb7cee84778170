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
	name := "--nats " + bus.HideUser(url)
	if url == "" {
		if url = os.Getenv(EnvURL); url != "" {
			name = EnvURL + "=" + bus.HideUser(url)
		}
	}
	if url == "" {
		return dialFolder(ctx, data)
	}
	remote, err := environment()
	if err != nil {
		return nil, err
	}
	remote.URL = url
	nc, err := dial(ctx, remote)
	if document.KindOf(err) == document.Unavailable {
		return nil, document.Errorf(document.Unavailable, "no NATS server answers at %s (%w): check the address, or start freshet with `freshet up PATH`", name, errors.Unwrap(err))
	}
	return nc, err
}

// dialFolder connects to the instance that runs on a state folder.
func dialFolder(ctx context.Context, data string) (*nats.Conn, error) {
	path, err := state.Locate(data)
	if err != nil {
		return nil, err
	}
	i, err := state.ReadInstance(path)
	if err != nil {
		return nil, err
	}
	remote, err := environment()
	if err != nil {
		return nil, err
	}
	remote.URL = i.URL
	nc, err := dial(ctx, remote)
	if document.KindOf(err) == document.Unavailable {
		return nil, document.Errorf(document.NotFound, "the freshet that ran on %s (pid %d, %s) is gone: start it with `freshet up PATH`", path, i.PID, i.URL)
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

func dial(ctx context.Context, r bus.Remote) (*nats.Conn, error) {
	timeout := dialTimeout
	if at, ok := ctx.Deadline(); ok {
		timeout = min(timeout, max(time.Until(at), time.Millisecond))
	}
	return r.Dial(nats.Name("freshet command line"), nats.Timeout(timeout), nats.NoReconnect())
}

// DefaultState returns the user's own state folder, as an absolute path.
func DefaultState() (string, error) { return state.Default() }

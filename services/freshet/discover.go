package freshet

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// EnvURL is the environment variable that names a running instance.
const EnvURL = "FRESHET_NATS_URL"

// dialTimeout bounds the search for an instance, which mostly is on this host.
const dialTimeout = 2 * time.Second

// Dial connects to a running instance: to url, else to that of the environment
// variable FRESHET_NATS_URL, else to the one that runs on the state folder
// data ("" is the user's own). The error is NotFound when none runs there, and
// Unavailable when nothing answers within two seconds or ctx's deadline. The
// caller closes the connection.
func Dial(ctx context.Context, url, data string) (*nats.Conn, error) {
	name := "--nats " + url
	if url == "" {
		if url = os.Getenv(EnvURL); url != "" {
			name = EnvURL + "=" + url
		}
	}
	if url != "" {
		nc, err := connect(ctx, url)
		if err != nil {
			return nil, document.Errorf(document.Unavailable, "no NATS server answers at %s (%w): check the address, or start freshet with `freshet up PATH`", name, err)
		}
		return nc, nil
	}
	path, err := state.Locate(data)
	if err != nil {
		return nil, err
	}
	i, err := state.ReadInstance(path)
	if err != nil {
		return nil, err
	}
	nc, err := connect(ctx, i.URL)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "the freshet that ran on %s (pid %d, %s) is gone: start it with `freshet up PATH`", path, i.PID, i.URL)
	}
	return nc, nil
}

func connect(ctx context.Context, url string) (*nats.Conn, error) {
	timeout := dialTimeout
	if at, ok := ctx.Deadline(); ok {
		timeout = min(timeout, max(time.Until(at), time.Millisecond))
	}
	nc, err := nats.Connect(url, nats.Name("freshet command line"), nats.Timeout(timeout), nats.NoReconnect())
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return nc, nil
}

// DefaultState returns the user's own state folder, as an absolute path.
func DefaultState() (string, error) { return state.Default() }

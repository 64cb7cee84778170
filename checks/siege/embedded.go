package siege

import (
	"context"
	"errors"
	"net"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// embed makes a deployment of one process over its own log and stores.
func (r *round) embed(g ground) (*deployment, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	args := []string{"up", "--config", g.settings, "--data", g.data, "--nats-port", port}
	for _, source := range g.sources {
		args = append(args, g.roots[source])
	}
	p := &member{name: "program", program: r.cfg.Program, log: g.log, env: g.env, args: args}
	return &deployment{
		members: []*member{p}, log: g.log, url: "nats://" + net.JoinHostPort("127.0.0.1", port),
		login: func(user string) (bus.Remote, error) {
			if user == bus.UserServices {
				return instance.FindLog("", g.data)
			}
			return instance.FindRole("", g.data, contract.Role(user))
		},
		ready: func(ctx context.Context) error {
			if err := p.awaitReady(ctx); err != nil || r.bus != nil {
				return err
			}
			return r.connect(ctx) // the state folder knows by now who may
		},
		close: func() error { return nil },
	}, nil
}

// freePort is a port that nobody listens on: the program comes back to it.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// logOf is where the embedded server of a state folder keeps the log.
func logOf(data string) string { return filepath.Join(data, "log") }

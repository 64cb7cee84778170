package process

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Remote is the external server that a configuration names.
func Remote(n config.NATS) bus.Remote {
	return bus.Remote{
		URL: n.URL, User: n.User, Password: n.Password.Reveal(), Credentials: n.Credentials,
		CA: n.TLS.CA, Cert: n.TLS.Cert, Key: n.TLS.Key, Replicas: n.Replicas,
	}
}

// Time between attempts at what is not there yet. It grows, so that many
// services do not beat upon a server that starts.
const (
	retryFirst = 200 * time.Millisecond
	retryMost  = 5 * time.Second
)

// openLog connects to the log. Whoever makes it adds what is missing, the others
// wait for that, as for a server that is not up yet; waiting is told the reason
// whenever it changes. Any other trouble is an error at once.
func (p Program) openLog(ctx context.Context, n config.NATS, log *slog.Logger, waiting func(error)) (*bus.Bus, error) {
	if n.URL == "" {
		return nil, document.Errorf(document.InvalidRequest, "nats.url is missing: name the NATS server that all services share, in the configuration or as %s=nats://HOST:4222", config.Variable("nats.url"))
	}
	remote := Remote(n)
	remote.Log = log
	var b *bus.Bus
	err := retry(ctx, waiting, func() (err error) {
		b, err = remote.Connect(ctx, nats.Name("freshet "+p.Name), nats.DisconnectErrHandler(lost(log)), nats.ReconnectHandler(back(log)))
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.OnlyAsks {
		return b, nil
	}
	there := bus.AwaitStreams
	if p.MakesLog {
		there = bus.EnsureStreams
	}
	if err := retry(ctx, waiting, func() error { return there(ctx, b) }); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func lost(log *slog.Logger) nats.ConnErrHandler {
	return func(nc *nats.Conn, err error) {
		if !nc.IsClosed() {
			log.Warn("connection to NATS lost", "error", err)
		}
	}
}

func back(log *slog.Logger) nats.ConnHandler {
	return func(nc *nats.Conn) { log.Warn("connection to NATS is back", "nats", nc.ConnectedUrlRedacted()) }
}

// retry calls try until it succeeds, fails otherwise than for want of a
// server, or ctx ends.
func retry(ctx context.Context, waiting func(error), try func() error) error {
	said := ""
	for wait := retryFirst; ; wait = min(2*wait, retryMost) {
		err := try()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if document.KindOf(err) != document.Unavailable {
			return err
		}
		if text := err.Error(); text != said {
			waiting(err)
			said = text
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// logged tells a log and the health of the process what is waited for.
func logged(log *slog.Logger, h *Health) func(error) {
	return func(err error) {
		h.Ready(func(context.Context) error { return err })
		log.Warn("waiting", "for", document.Coded(err))
	}
}

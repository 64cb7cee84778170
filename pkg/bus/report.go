package bus

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// ServeReport answers requests on the report subject with fn's result until
// ctx ends. Every service of a deployment answers, under a name of its own
// that is put into the report.
func ServeReport(ctx context.Context, b *Bus, fn func() contract.Report) error {
	instance := newInstance()
	asked := make(chan *nats.Msg, reportRoom)
	sub, err := b.nc.ChanSubscribe(contract.SubjectReport, asked)
	if err != nil {
		return fmt.Errorf("serve %s: %w", contract.SubjectReport, err)
	}
	for {
		select {
		case m := <-asked:
			answerReport(b, m, instance, fn)
		case <-ctx.Done():
			if err := sub.Unsubscribe(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
				return fmt.Errorf("stop serving %s: %w", contract.SubjectReport, err)
			}
			return nil
		}
	}
}

// Configure has the reports of this connection say which build the process is
// configured to make.
func Configure(b *Bus, build contract.Build) { b.configured.Store(&build) }

// reportRoom is how many requests for a report wait: each is of a status, of which
// a query process makes a few at once.
const reportRoom = 256

func answerReport(b *Bus, m *nats.Msg, instance string, fn func() contract.Report) {
	if contract.Reserved(m.Reply) {
		return
	}
	r := fn()
	r.Instance, r.Build = instance, b.configured.Load()
	if err := b.Room().refused(); err != nil {
		r.Degraded = append(r.Degraded, err.Error())
	}
	if js, err := json.Marshal(r); err == nil {
		_ = m.Respond(js)
	}
}

// newInstance names a running service: the machine or container, the process,
// and some letters, since two may be in one process.
func newInstance() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return fmt.Sprintf("%s:%d-%s", host, os.Getpid(), strings.ToLower(rand.Text()[:4]))
}

package bus

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// ServeReport answers requests on the report subject with fn's result until
// ctx ends. Every service of a deployment answers, under a name of its own
// that is put into the report.
func ServeReport(ctx context.Context, b *Bus, fn func() contract.Report) error {
	instance := newInstance()
	var calls sync.WaitGroup
	sub, err := b.nc.Subscribe(contract.SubjectReport, func(m *nats.Msg) {
		calls.Add(1)
		defer calls.Done()
		r := fn()
		r.Instance = instance
		if err := b.serverFull(); err != nil {
			r.Degraded = append(r.Degraded, err.Error())
		}
		if js, err := json.Marshal(r); err == nil {
			_ = m.Respond(js)
		}
	})
	if err != nil {
		return fmt.Errorf("serve %s: %w", contract.SubjectReport, err)
	}
	<-ctx.Done()
	err = sub.Unsubscribe()
	calls.Wait()
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("stop serving %s: %w", contract.SubjectReport, err)
	}
	return nil
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

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet"
)

// Time limits of requests. The service's own deadline is shorter; these only
// keep a command from hanging where nobody answers.
const (
	askTimeout     = 10 * time.Second
	compareTimeout = 10 * time.Minute // of requests that read a whole tree
	writeTimeout   = 35 * time.Second // of requests on documents
)

// dial finds the running instance.
func (p *Program) dial(ctx context.Context) (*nats.Conn, error) {
	return freshet.Dial(ctx, p.nats, p.data)
}

// ask sends one request and returns the reply as it came and decoded.
func ask[Req, Rep any](ctx context.Context, nc *nats.Conn, subject string, req Req, limit time.Duration) (json.RawMessage, Rep, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var rep Rep
	raw, err := bus.Call[Req, json.RawMessage](ctx, nc, subject, req)
	if err != nil {
		return nil, rep, err
	}
	if err := json.Unmarshal(raw, &rep); err != nil {
		return nil, rep, document.Errorf(document.VersionMismatch, "the answer on %s is not what this version of freshet understands (%w): use the version that is running", subject, err)
	}
	return raw, rep, nil
}

func (p *Program) printJSON(raw json.RawMessage) error {
	if _, err := fmt.Fprintf(p.Stdout, "%s\n", raw); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

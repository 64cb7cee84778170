package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/instance"
)

// dial finds the running instance.
func (p *Program) dial(ctx context.Context) (*nats.Conn, error) {
	return instance.Dial(ctx, p.nats, p.data)
}

func (p *Program) printJSON(raw json.RawMessage) error {
	if _, err := fmt.Fprintf(p.Stdout, "%s\n", raw); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

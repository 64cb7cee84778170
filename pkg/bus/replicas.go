package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/document"
)

// replicas brings a stream to the configured number of copies and waits
// until they are there: what is written while the servers choose a leader for
// them is lost.
func (m maker) replicas(ctx context.Context, s jetstream.Stream) error {
	cfg := s.CachedInfo().Config
	if cfg.Replicas == m.bus.replicas {
		return nil
	}
	cfg.Replicas = m.bus.replicas
	s, err := m.bus.js.UpdateStream(ctx, cfg)
	if err != nil {
		return fmt.Errorf("keep %d copies of stream %s: %w", m.bus.replicas, cfg.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, copyPatience)
	defer cancel()
	for {
		info, err := s.Info(ctx)
		if err == nil && (info.Cluster == nil || copies(info.Cluster) == m.bus.replicas) {
			return nil
		}
		if !pause(ctx, 100*time.Millisecond) {
			return fmt.Errorf("wait for %d copies of stream %s: %w", m.bus.replicas, cfg.Name, ctx.Err())
		}
	}
}

// copyPatience is how long a stream may take to be copied to further servers
// before the wait is told.
const copyPatience = 30 * time.Second

// copies counts the servers that have everything.
func copies(c *jetstream.ClusterInfo) (n int) {
	if c.Leader != "" {
		n++
	}
	for _, r := range c.Replicas {
		if r.Current && !r.Offline {
			n++
		}
	}
	return n
}

// explain says what a server lacks.
func explain(b *Bus, err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, nats.ErrNoResponders):
		return document.Errorf(document.Unavailable, "the NATS server at %s has no JetStream: turn it on there: %w", b.nc.ConnectedUrlRedacted(), err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return document.Errorf(document.Forbidden, "the account of this user has no JetStream at %s: give it JetStream limits there: %w", b.nc.ConnectedUrlRedacted(), err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return document.Errorf(document.Unavailable, "JetStream at %s does not answer (a cluster needs more than half of its servers): %w", b.nc.ConnectedUrlRedacted(), err)
	case errors.As(err, &api) && slices.Contains(tooFewServers, api.ErrorCode):
		return document.Errorf(document.InvalidRequest, "nats.replicas is %d, and the NATS server at %s cannot keep as many copies: use at most as many as the cluster has servers: %w", b.replicas, b.nc.ConnectedUrlRedacted(), err)
	}
	return err
}

// tooFewServers are the answers to a stream with more copies than servers:
// "no suitable peers", "insufficient resources", "not supported in
// non-clustered mode".
var tooFewServers = []jetstream.ErrorCode{10005, 10023, 10074}

package embedder

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/secrets"
)

// Deps are what the service works with; they stay the caller's.
type Deps struct {
	Bus      *bus.Bus
	Embedder embed.Embedder
	Log      *slog.Logger
	// Version is the program's, for discovery.
	Version string
	// Former answers queries that ask for its identity; nil for none.
	Former embed.Embedder
	// Beside has queries be left to another service of this process.
	Beside bool
	// Counted: another service of this process has the same Embedder, and counts what
	// it costs.
	Counted bool
	// Continues is a service of this process with the same Embedder, whose place this
	// one takes: what was spent is counted on; nil for none.
	Continues *Service
	// Begin is closed when passages may be embedded; nil: from the start. Queries
	// are answered before.
	Begin <-chan struct{}
}

// Service embeds passages and queries.
type Service struct {
	rpc.Drainer

	cfg      Config
	deps     Deps
	started  time.Time
	ledger   *ledger
	canary   *canary
	guard    *secrets.Guard // of what goes to a server
	earlier  atomic.Pointer[earlier]
	counters struct {
		documents, embedded, reused, bare, queries, covered atomic.Uint64
	}
}

// New checks the configuration; nothing runs before Run.
func New(cfg Config, deps Deps) (*Service, error) {
	if len(cfg.Generations) == 0 {
		return nil, document.Errorf(document.InvalidRequest, "embedder: no generation to embed: configure at least one collection")
	}
	if err := config.Filled("embedder", cfg.Embedder); err != nil {
		return nil, err
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	guard, err := secrets.NewGuard(cfg.Outgoing)
	if err != nil {
		return nil, err
	}
	s := &Service{
		cfg: cfg, deps: deps, started: time.Now(), guard: guard,
		ledger: newLedger(deps, cfg.Price, cfg.Budget),
		canary: newCanary(deps.Bus, deps.Embedder, cfg.Canary),
	}
	if deps.Continues != nil {
		s.ledger, s.deps.Continues = deps.Continues.ledger, nil
	}
	return s, nil
}

// Run works until ctx ends and then finishes the batches at hand.
func (s *Service) Run(ctx context.Context) (err error) {
	defer bus.Stopped(ctx, &err)
	if err := s.deps.Bus.Outputs(contract.StreamVectors).Ready(ctx); err != nil {
		return err
	}
	if err := s.recall(ctx); err != nil {
		return err
	}
	if !s.deps.Beside {
		svc, err := rpc.NewService(s.deps.Bus, "freshet-embedder", "Vectors for passages and queries", s.deps.Version)
		if err != nil {
			return err
		}
		defer func() { _ = svc.Stop() }()
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "embed", Subject: contract.SubjectEmbed}, s.embedQuery)
		if err != nil {
			return err
		}
		s.Drains(svc)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bus.ServeReport(gctx, s.deps.Bus, s.report) })
	g.Go(func() error { return s.canary.run(gctx) })
	for _, gen := range s.cfg.Generations {
		g.Go(func() error {
			if !slices.Contains(s.cfg.Shared, gen) && !bus.Begun(gctx, s.deps.Begin) {
				return nil
			}
			c := contract.EmbedderConsumer(gen)
			return s.deps.Bus.Run(gctx, bus.Worker{
				Stage: c.Stage, Name: c.Name, Build: contract.BuildOf(gen),
				Stream: c.Stream, Filters: []string{contract.ChunksSubject(gen, "*", "*")},
				Workers: s.cfg.Workers, Batch: s.cfg.Batch, Lease: s.cfg.Lease,
				Handle: s.handle, Probe: s.probe(c.Stream), Log: s.deps.Log,
			})
		})
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("embedder: %w", err)
	}
	return nil
}

// recall looks up which builds may have vectors already.
func (s *Service) recall(ctx context.Context) error {
	e, err := newEarlier(ctx, s.deps.Bus, embed.SpaceOf(s.deps.Embedder))
	s.earlier.Store(e)
	return err
}

func (s *Service) embedQuery(ctx context.Context, req contract.EmbedRequest) (contract.EmbedReply, error) {
	model := s.deps.Embedder
	if s.deps.Former != nil && req.Identity == s.deps.Former.Identity() {
		model = s.deps.Former
	}
	id := model.Identity()
	if req.Identity != "" && req.Identity != id {
		return contract.EmbedReply{}, document.Errorf(document.IdentityMismatch, "this embedder is %s, the index was built with %s: run the embedder that the index names, or index again", id, req.Identity)
	}
	if err := s.canary.changed(); err != nil && model == s.deps.Embedder {
		return contract.EmbedReply{}, err
	}
	text := req.Text
	if _, remote := model.(embed.Remote); remote {
		text = s.guard.Text(text)
	}
	v, err := model.EmbedQuery(ctx, text)
	if err != nil {
		return contract.EmbedReply{}, err // which names who is asked
	}
	s.counters.queries.Add(1)
	return contract.EmbedReply{Identity: id, Dims: model.Dims(), Scale: v.Scale, Data: v.Bytes()}, nil
}

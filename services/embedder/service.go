package embedder

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/secrets"
)

// Deps are what the service works with; they stay the caller's.
type Deps struct {
	Bus *bus.Bus
	// Embedders are those of all collections.
	Embedders open.Set
	Log       *slog.Logger
	// Version is the program's, for discovery.
	Version string
	// Former answer queries that ask for their identities; nil for none.
	Former open.Set
	// Beside has queries be left to another service of this process.
	Beside bool
	// Counted are embedders that another service of this process has, too, and counts what
	// they cost.
	Counted open.Set
	// Continues is a service of this process whose place this one takes: what was spent with
	// embedders that both have is counted on; nil for none.
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
	makers   []*maker
	ledger   *ledger
	guard    *secrets.Guard // of what goes to a server
	chance   backgrounds
	counters struct {
		documents, embedded, reused, bare, queries, covered atomic.Uint64
	}
}

// maker embeds what generations have, by one embedder.
type maker struct {
	*Service

	model       embed.Embedder
	generations []document.Generation
	canary      *canary
	earlier     atomic.Pointer[earlier]
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
	s := &Service{cfg: cfg, deps: deps, started: time.Now(), guard: guard}
	var models []*metered
	for _, g := range cfg.Generations {
		name := contract.CollectionOf(g)
		model := deps.Embedders[name]
		if model == nil {
			return nil, document.Errorf(document.InvalidRequest, "embedder: no embedder for generation %s: give the collection %q one", g, name)
		}
		if m := s.makerOf(model.Identity()); m != nil {
			m.generations = append(m.generations, g)
			continue
		}
		s.makers = append(s.makers, &maker{Service: s, model: model, generations: []document.Generation{g}, canary: newCanary(deps.Bus, model, cfg.Canary)})
		if server, ok := model.(embed.Remote); ok {
			of, ok := cfg.Of[name]
			if !ok {
				of = cfg.Embedder
			}
			models = append(models, &metered{model: server, price: of.Price, counted: deps.Counted.By(model.Identity()) == model})
		}
	}
	var before *ledger
	if deps.Continues != nil {
		before, s.deps.Continues = deps.Continues.ledger, nil
	}
	s.ledger = newLedger(deps.Bus, cfg.Budget, models, before)
	return s, nil
}

// makerOf is the one whose embedder has an identity; nil for none.
func (s *Service) makerOf(identity string) *maker {
	for _, m := range s.makers {
		if m.model.Identity() == identity {
			return m
		}
	}
	return nil
}

// Run works until ctx ends and then finishes the batches at hand.
func (s *Service) Run(ctx context.Context) (err error) {
	defer bus.Stopped(ctx, &err)
	if err := s.deps.Bus.Outputs(contract.StreamVectors).Ready(ctx); err != nil {
		return err
	}
	for _, m := range s.makers {
		if err := m.recall(ctx); err != nil {
			return err
		}
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
	for _, m := range s.makers {
		g.Go(func() error { return m.canary.run(gctx) })
		for _, gen := range m.generations {
			g.Go(func() error { return m.work(gctx, gen) })
		}
	}
	if err := g.Wait(); err != nil {
		return fmt.Errorf("embedder: %w", err)
	}
	return nil
}

// work embeds what a generation has, until ctx ends.
func (s *maker) work(ctx context.Context, gen document.Generation) error {
	if !slices.Contains(s.cfg.Shared, gen) && !bus.Begun(ctx, s.deps.Begin) {
		return nil
	}
	c := contract.EmbedderConsumer(gen)
	return s.deps.Bus.Run(ctx, bus.Worker{
		Stage: c.Stage, Name: c.Name, Build: contract.BuildOf(gen),
		Stream: c.Stream, Filters: []string{contract.ChunksSubject(gen, "*", "*")},
		Workers: s.cfg.Workers, Batch: s.cfg.Batch, Lease: s.cfg.Lease,
		Handle: s.handle, Probe: s.probe(c.Stream), Log: s.deps.Log,
	})
}

// recall looks up which builds may have vectors already.
func (s *maker) recall(ctx context.Context) error {
	e, err := newEarlier(ctx, s.deps.Bus, embed.SpaceOf(s.model))
	s.earlier.Store(e)
	return err
}

func (s *Service) embedQuery(ctx context.Context, req contract.EmbedRequest) (contract.EmbedReply, error) {
	model, err := s.embedderOf(req.Identity)
	if err != nil {
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
	out := contract.EmbedReply{Identity: model.Identity(), Dims: model.Dims(), Scale: v.Scale, Data: v.Bytes()}
	if req.Background && !v.IsZero() {
		if out.Background, err = s.chance.of(ctx, model, v); err != nil {
			return contract.EmbedReply{}, err
		}
	}
	s.counters.queries.Add(1)
	return out, nil
}

// embedderOf is the one that a query asks for; "" is the first. The error is
// IdentityMismatch where there is none, or it is not what it was.
func (s *Service) embedderOf(identity string) (embed.Embedder, error) {
	if identity == "" {
		identity = s.makers[0].model.Identity()
	}
	if m := s.makerOf(identity); m != nil {
		return m.model, m.canary.changed()
	}
	if e := s.deps.Embedders.By(identity); e != nil { // of a generation that another service makes
		return e, nil
	}
	if e := s.deps.Former.By(identity); e != nil {
		return e, nil
	}
	var ours []string
	for _, m := range s.makers {
		ours = append(ours, m.model.Identity())
	}
	return nil, document.Errorf(document.IdentityMismatch, "this embedder is %s, the index was built with %s: run the embedder that the index names, or index again", strings.Join(ours, " and "), identity)
}

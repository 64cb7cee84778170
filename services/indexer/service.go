package indexer

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/indexer/internal/verify"
)

// Deps are what the service works with; they stay the caller's.
type Deps struct {
	Bus         *bus.Bus
	Generations map[document.Generation]store.Sinks
	Analyzer    Analyzer
	Log         *slog.Logger
	// Version is the program's, for discovery.
	Version string
	// Former are the stores of a build whose place another one takes, until
	// LeaveFormer, as far as it has others; FormerBuild is its name.
	Former      map[document.Generation]store.Sinks
	FormerBuild contract.BuildID
	// Begin is closed when Generations are to be filled; nil: from the start. Nobody
	// looks at their stores before, but for those of Shared, which are what the former
	// build has, too.
	Begin  <-chan struct{}
	Shared []document.Generation
	// Chunker is the chunker's consumer, by which a comparison tells what is on
	// its way from what was lost.
	Chunker contract.Consumer
	// Build is the one that Generations are of. It may be left out where their names
	// end with it.
	Build contract.BuildID
	// Unclean asks for a sweep at the start: the previous run may have left
	// chunks behind that nobody lists.
	Unclean bool
}

// sideRunner is a side of any kind of store.
type sideRunner interface {
	follow(ctx context.Context, cfg config.Indexer, unclean bool) error
	sweep(ctx context.Context) (contract.SweepReply, error)
	erase(ctx context.Context) (contract.EraseReply, error)
	repair(ctx context.Context, docs []docKey, purged bool) error
	looked() (contract.StoreInfo, error)
	complaints() []string
	count(into map[string]uint64)

	verify.Store // what a comparison asks of it
}

// Service keeps the sinks of all generations in step with the log.
type Service struct {
	cfg     config.Indexer
	deps    Deps
	started time.Time

	mu     sync.Mutex
	sides  []sideRunner // use open
	former former

	configured []sideRunner // those of Generations

	verifier *verify.Verifier
}

// New takes a valid configuration; nothing runs before Run.
func New(cfg config.Indexer, deps Deps) (*Service, error) {
	if len(deps.Generations) == 0 {
		return nil, document.Errorf(document.InvalidRequest, "indexer: no generation to index: configure at least one collection")
	}
	if err := config.Filled("indexer", cfg); err != nil {
		return nil, err
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{cfg: cfg, deps: deps, started: time.Now()}
	s.verifier = verify.New(verify.Deps{
		Bus: deps.Bus, Log: deps.Log, Version: deps.Version, Every: cfg.Verify, Heads: cfg.Sweep, Stores: s.compared,
		Chunker: func(g document.Generation) (contract.Consumer, contract.BuildID) {
			return s.chunkerOf(g), buildOf(s, g)
		},
		Collections: func(g document.Generation) []document.Collection { return collectionsWith(s, g) },
	})
	s.former = newFormer()
	s.former.sides = s.sidesOf(deps.Former)
	s.sides = slices.Clone(s.former.sides)
	s.configured = s.sidesOf(deps.Generations)
	for _, side := range s.configured {
		if !waits(s, side) {
			s.sides = append(s.sides, side)
		}
	}
	return s, nil
}

// sidesOf returns the sides of generations.
func (s *Service) sidesOf(generations map[document.Generation]store.Sinks) (sides []sideRunner) {
	deps := s.deps
	for gen, st := range generations {
		sides = append(sides,
			&side[store.LexicalEntry]{holder: holder{bus: deps.Bus, log: deps.Log, generation: gen, sink: document.Lexical, store: st.Lexical},
				input: contract.StreamChunks, apply: applyLexical(st.Lexical), decode: decodeChunks(deps.Analyzer), unfinished: newUnfinished()},
			&side[store.VectorEntry]{holder: holder{bus: deps.Bus, log: deps.Log, generation: gen, sink: document.Vector, store: st.Vector},
				input: contract.StreamVectors, apply: applyVector(st.Vector), decode: decodeVectors, unfinished: newUnfinished()})
	}
	return sides
}

// Run works until ctx ends and then finishes the batches at hand.
func (s *Service) Run(ctx context.Context) (err error) {
	defer bus.Stopped(ctx, &err)
	if err := s.deps.Bus.Outputs(contract.StreamIndexed).Ready(ctx); err != nil {
		return err
	}
	if err := s.deps.Bus.Records().Ready(ctx); err != nil {
		return err
	}
	svc, err := rpc.NewService(s.deps.Bus, "freshet-indexer", "Keeps the stores in step with the log", s.deps.Version)
	if err != nil {
		return err
	}
	defer func() { _ = svc.Stop() }()
	err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "sweep", Subject: contract.SubjectSweep, Limit: 1, Deadline: 10 * time.Minute, Left: rpc.Finished},
		func(ctx context.Context, _ struct{}) (contract.SweepReply, error) { return s.Sweep(ctx) })
	if err != nil {
		return err
	}
	err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "erase", Subject: contract.SubjectEraseIndex, Limit: 1, Deadline: 10 * time.Minute, Left: rpc.Finished},
		func(ctx context.Context, _ struct{}) (contract.EraseReply, error) { return s.Erase(ctx) })
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bus.ServeReport(gctx, s.deps.Bus, s.report) })
	g.Go(func() error { return s.repairs(gctx) })
	g.Go(func() error { return s.verifier.Run(gctx) })
	g.Go(func() error {
		return s.deps.Bus.RunAlone(gctx, "purger", func(ctx context.Context) error { return bus.PurgesOf(s.deps.Bus).Run(ctx, s.deps.Log) })
	})
	g.Go(func() error { return followConfigured(gctx, s) })
	g.Go(func() error { return s.followFormer(gctx) })
	if err := g.Wait(); err != nil {
		return fmt.Errorf("indexer: %w", err)
	}
	return nil
}

// Sweep compares every store with INDEXED now, removes what is listed nowhere
// and restores what is missing.
func (s *Service) Sweep(ctx context.Context) (contract.SweepReply, error) {
	s.former.using.RLock()
	defer s.former.using.RUnlock()
	var total contract.SweepReply
	for _, side := range s.open() {
		r, err := side.sweep(ctx)
		total.Removed += r.Removed
		total.Restored += r.Restored
		total.Compared += r.Compared
		total.Documents += r.Documents
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// Verify compares sources, log and stores now.
func (s *Service) Verify(ctx context.Context, req contract.VerifyRequest, send func(contract.VerifyPart) error) error {
	return s.verifier.Compare(ctx, req, send)
}

// compared are the stores that a comparison goes through.
func (s *Service) compared() []verify.Store {
	var out []verify.Store
	for _, side := range s.open() {
		out = append(out, side)
	}
	return out
}

func (s *Service) report() contract.Report {
	r := contract.Report{Service: "indexer", Started: s.started, Counters: map[string]uint64{"checks": s.verifier.Checks()}}
	if len(s.deps.Former) > 0 && s.former.life.Err() == nil {
		r.Beside = s.deps.FormerBuild
	}
	for _, side := range s.open() {
		if info, _ := side.looked(); info.ID != "" {
			r.Stores = append(r.Stores, info)
		}
		r.Degraded = append(r.Degraded, side.complaints()...)
		side.count(r.Counters)
	}
	return r
}

// follow looks after the store and follows the input. The keeper ends after
// the workers, so that its last look includes all that they did.
func (s *side[E]) follow(ctx context.Context, cfg config.Indexer, unclean bool) error {
	if err := s.reachable(ctx); err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(context.WithoutCancel(ctx))
	keeping, leave := context.WithCancel(gctx)
	working, stop := context.WithCancel(gctx)
	defer context.AfterFunc(ctx, stop)()
	g.Go(func() error {
		role := "keeper." + contract.StoreKey(s.generation, s.sink)
		return s.bus.RunAlone(keeping, role, func(ctx context.Context) error { return s.keep(ctx, cfg.Sweep, unclean) })
	})
	g.Go(func() error {
		defer leave()
		if !s.known(working) {
			return nil
		}
		return s.work(working, cfg)
	})
	g.Go(func() error {
		s.showDeletions(keeping)
		return nil
	})
	g.Go(func() error {
		s.tidy(keeping)
		return nil
	})
	return g.Wait()
}

func (s *side[E]) work(ctx context.Context, cfg config.Indexer) error {
	c := contract.IndexerConsumer(s.generation, s.sink)
	filter := contract.OutputHead{Generation: s.generation, Source: "*", Doc: "*"}
	return s.bus.Run(ctx, bus.Worker{
		Stage: c.Stage, Name: c.Name, Build: contract.BuildOf(s.generation),
		Stream: c.Stream, Filters: []string{filter.Subject(c.Stream)},
		Workers: cfg.Workers, Batch: cfg.Batch, Linger: cfg.Linger, Lease: cfg.Lease,
		Handle: s.handle, Probe: s.trusted, Log: s.log,
	})
}

func (s *side[E]) count(into map[string]uint64) {
	c := &s.counters
	for name, v := range map[string]uint64{
		"documents": c.documents.Load(), "put": c.put.Load(), "deleted": c.deleted.Load(),
		"covered": c.covered.Load(), "refilled": c.refilled.Load(), "swept": c.swept.Load(), "purged": c.purged.Load(), "restored": c.restored.Load(),
	} {
		into[string(s.sink)+"_"+name] += v
	}
}

package query

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/feedback"
)

// Deps are what the service works with. All stay the caller's.
type Deps struct {
	Bus *bus.Bus
	// Stores are the sinks of each generation that is searched, one
	// generation per collection.
	Stores map[document.Generation]store.Sinks
	// Analyzer is the one that the lexical sinks were filled with.
	Analyzer *analysis.Analyzer
	// Embedder is the identity that the vector sinks were filled with.
	Embedder string
	// Build is how the stores are made. It may be left out, without Former.
	Build contract.Build
	// Former answers until the log names Build; nil: nobody does.
	Former *Former
	Log    *slog.Logger
}

// Service answers searches and tells the state. It is safe for concurrent use.
type Service struct {
	rpc.Drainer

	cfg      Config
	bus      *bus.Bus
	log      *slog.Logger
	started  time.Time
	counters *counters
	usage    *usage

	// configured is the engine over what is configured. A question goes to the one
	// whose turn it is.
	configured *engine
	handover   handover

	answering   *answering
	summarizing summarizing
	feedback    *feedback.Events
}

// counters are totals since the start.
type counters struct {
	searches, greps, reads, outlines, contexts, related, answers, errors, degraded, pending, dropped, orphans, barrierMissed, standing atomic.Uint64
	standingWithin                                                                                                                     [len(toldWithin)]atomic.Uint64
}

// New takes a valid configuration, checks deps, and returns a service that does
// nothing before Run.
func New(cfg Config, deps Deps) (*Service, error) {
	if err := config.Filled("query", cfg.Query); err != nil {
		return nil, err
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	e, err := newEngine(cfg, deps)
	if err != nil {
		return nil, err
	}
	s := &Service{
		cfg: cfg, bus: deps.Bus, log: deps.Log, started: time.Now(), counters: e.counters, configured: e,
		handover: handover{bus: deps.Bus, next: deps.Build},
	}
	if s.answering, err = newAnswering(s, cfg.Answer); err != nil {
		return nil, err
	}
	if s.summarizing, err = newSummarizing(s, cfg.Answer); err != nil {
		return nil, err
	}
	s.usage = newUsage(s.bus)
	s.feedback = &feedback.Events{Bus: s.bus}
	if deps.Former == nil {
		return s, nil
	}
	deps.Stores, deps.Build = deps.Former.Stores, deps.Former.Build
	former, err := newEngine(cfg, deps)
	if err != nil {
		return nil, err
	}
	former.share(e)
	h := &s.handover
	h.former, h.left, h.asks = former, make(chan struct{}), former.build.ID()
	h.changes, h.held = former.build.Changes(e.build), deps.Former.Held
	return s, nil
}

// serviceName is what discovery finds ($SRV.INFO.freshet).
const serviceName = "freshet"

// Run answers requests until ctx ends. Requests that are under way then end
// with it.
func (s *Service) Run(life context.Context) (err error) {
	defer bus.Stopped(life, &err)
	group, ctx := errgroup.WithContext(life)
	e := s.configured
	group.Go(func() error { return e.index.Run(ctx) })
	if former := s.handover.former; former != nil {
		following, end := context.WithCancel(ctx)
		defer end()
		group.Go(func() error { return former.index.Run(following) })
		group.Go(func() error { return former.reader.Run(following) })
		group.Go(func() error { return s.handOver(ctx, end) })
	}
	group.Go(func() error { return e.reader.Run(ctx) })
	group.Go(func() error { return e.commits.Run(ctx) })
	group.Go(func() error { return e.sources.Run(ctx) })
	group.Go(func() error { return e.trigrams.Run(ctx) })
	group.Go(func() error {
		follow(ctx, s.bus.Bucket(contract.BucketModels), contract.ModelReranker, e.learned.take)
		return nil
	})
	group.Go(func() error {
		follow(ctx, s.bus.Bucket(contract.BucketModels), contract.ModelRanking, e.keeping.take)
		return nil
	})
	group.Go(func() error { return tellStanding(ctx, s) })
	group.Go(func() error { return s.summarizing.run(ctx) })
	group.Go(func() error { return s.usage.run(ctx) })
	group.Go(func() error { return bus.ServeReport(ctx, s.bus, s.Report) })
	group.Go(func() error { return s.serve(ctx) })
	return group.Wait()
}

// endpoints are what the service answers, each in the file of its subject.
var endpoints = []func(context.Context, *Service, micro.Service) error{
	serveSearch, serveGrep, serveFiles, serveRead, serveOutline, servePassages, serveContext, serveRelated, serveAnswer, serveLeases, serveWatches,
	serveStatus, serveExplain, serveReranker, serveRanking, serveDeadLetters, serveFeedback, serveLosses, serveAudit, serveBuilds, serveReindex, serveKeys, serveAccess,
}

func (s *Service) serve(ctx context.Context) error {
	svc, err := rpc.NewService(s.bus, serviceName, "searches files and repositories as they are now", s.cfg.Version)
	if err != nil {
		return err
	}
	for _, serve := range endpoints {
		if err = serve(ctx, s, svc); err != nil {
			break
		}
	}
	if err != nil {
		return errors.Join(err, svc.Stop())
	}
	s.Drains(svc)
	<-ctx.Done()
	if err := svc.Stop(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("stop service %s: %w", serviceName, err)
	}
	return nil
}

// Report is the service's part of the status.
func (s *Service) Report() contract.Report {
	c := s.counters
	r := contract.Report{
		Service: "query", Started: s.started,
		Counters: map[string]uint64{
			"searches": c.searches.Load(), "greps": c.greps.Load(), "reads": c.reads.Load(), "outlines": c.outlines.Load(), "contexts": c.contexts.Load(), "related": c.related.Load(), "answers": c.answers.Load(), "errors": c.errors.Load(), "degraded": c.degraded.Load(),
			"with_pending": c.pending.Load(), "dropped": c.dropped.Load(), "orphans": c.orphans.Load(),
			"token_missed": c.barrierMissed.Load(), "standing_told": c.standing.Load(),
		},
	}
	r.Beside = s.handover.asks
	if left := s.handover.left; left != nil {
		select {
		case <-left:
			r.Beside = ""
		default:
		}
	}
	maps.Copy(r.Counters, s.configured.guard.Counters())
	for i, within := range toldWithin {
		r.Counters[fmt.Sprintf("standing_told_%dms", within.Milliseconds())] = c.standingWithin[i].Load()
	}
	return r
}

package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/confidence"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/secrets"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
	"github.com/freshet-dev/freshet/services/query/internal/commits"
	"github.com/freshet-dev/freshet/services/query/internal/feedback"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
	"github.com/freshet-dev/freshet/services/query/internal/gate"
	"github.com/freshet-dev/freshet/services/query/internal/letters"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/queryvector"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/rerank"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
	"github.com/freshet-dev/freshet/services/query/internal/scope"
	"github.com/freshet-dev/freshet/services/query/internal/trigram"
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
	shelf    *shelf
	analyzer *analysis.Analyzer
	embedder string

	index    *freshness.Index
	commits  *commits.Index
	sources  *scope.Sources
	vectors  *queryvector.Source
	reader   *resolve.Reader
	resolver *resolve.Resolver
	plain    *plain.Searcher // of pending documents
	trigrams *trigram.Index

	tokenizers map[string]*tokenizer.Tokenizer // by name

	byKeyword  *plain.Searcher
	priorities rank.Priorities
	reranker   rerank.Reranker // nil: none
	guard      *secrets.Guard  // of what goes to a model of somebody's server
	learned    *learning
	answering  *answering

	calibration *confidence.Calibration
	letters     *letters.Letters
	feedback    *feedback.Events
	known       instances

	started  time.Time
	counters *counters
	usage    *usage

	build    contract.Build
	handover handover
}

// counters are totals since the start.
type counters struct {
	searches, greps, reads, outlines, contexts, related, answers, errors, degraded, pending, dropped, orphans, barrierMissed, standing atomic.Uint64
	standingWithin                                                                                                                     [len(toldWithin)]atomic.Uint64
}

// New takes a valid configuration, checks deps, and returns a service that does
// nothing before Run.
func New(cfg Config, deps Deps) (*Service, error) {
	s, err := newService(cfg, deps)
	if err != nil || deps.Former == nil {
		return s, err
	}
	deps.Stores, deps.Build, deps.Embedder = deps.Former.Stores, deps.Former.Build, deps.Former.Build.Embedder
	former, err := newService(cfg, deps)
	if err != nil {
		return nil, err
	}
	former.share(s)
	h := &s.handover
	h.former, h.left, h.asks = former, make(chan struct{}), former.build.ID()
	h.changes, h.held = former.build.Changes(s.build), deps.Former.Held
	return s, nil
}

func newService(cfg Config, deps Deps) (*Service, error) {
	if len(deps.Stores) == 0 {
		return nil, document.Errorf(document.InvalidRequest, "query: no generation to search: configure at least one collection")
	}
	if err := config.Filled("query", cfg.Query); err != nil {
		return nil, err
	}
	shelf, err := newShelf(deps.Stores)
	if err != nil {
		return nil, err
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		cfg: cfg, bus: deps.Bus, log: deps.Log, shelf: shelf, analyzer: deps.Analyzer, embedder: deps.Embedder,
		started: time.Now(), counters: &counters{}, build: deps.Build,
		handover: handover{bus: deps.Bus, next: deps.Build},
	}
	if s.calibration, err = gate.Bundled(); err != nil {
		return nil, err
	}
	if s.priorities, err = rank.NewPriorities(cfg.Priorities); err != nil {
		return nil, err
	}
	if s.reranker, err = rerank.New(cfg.Rerank); err != nil {
		return nil, err
	}
	if s.guard, err = secrets.NewGuard(cfg.Outgoing); err != nil {
		return nil, err
	}
	if s.tokenizers, err = tokenizers(); err != nil {
		return nil, err
	}
	if s.answering, err = newAnswering(s, cfg.Answer); err != nil {
		return nil, err
	}
	s.usage = newUsage(s.bus)
	s.learned = newLearning(cfg.Ranking)
	s.index = freshness.New(s.bus, shelf)
	s.commits = commits.New(s.bus.Files())
	s.letters = &letters.Letters{Bus: s.bus, Index: s.index, Build: shelf.Build()}
	s.feedback = &feedback.Events{Bus: s.bus}
	s.sources = scope.New(s.bus.Conn())
	s.vectors = queryvector.New(s.bus.Conn(), deps.Embedder, cmp.Or(cfg.EmbedDeadline, localEmbed), cfg.VectorCache)
	s.reader = resolve.NewReader(s.bus, int64(cfg.BodyCache), func(err error) {
		s.log.Warn("message of the log not read", "error", err)
	})
	s.resolver = resolve.New(s.bus, s.reader, s.index, shelf.collection)
	s.plain = &plain.Searcher{Reader: s.reader, Analyzer: s.analyzer, Generation: shelf.Generation,
		Documents: cfg.PendingDocuments, Bytes: int64(cfg.PendingBytes)}
	s.byKeyword = newKeyword(s.plain)
	s.trigrams = trigram.New(s.bus, int64(cfg.Trigrams))
	return s, nil
}

// share takes from the service that follows what knows of no build.
func (s *Service) share(next *Service) {
	s.commits, s.sources, s.learned, s.trigrams, s.counters, s.usage = next.commits, next.sources, next.learned, next.trigrams, next.counters, next.usage
}

// serviceName is what discovery finds ($SRV.INFO.freshet).
const serviceName = "freshet"

// Run answers requests until ctx ends. Requests that are under way then end
// with it.
func (s *Service) Run(life context.Context) (err error) {
	defer bus.Stopped(life, &err)
	group, ctx := errgroup.WithContext(life)
	group.Go(func() error { return s.index.Run(ctx) })
	if former := s.handover.former; former != nil {
		following, end := context.WithCancel(ctx)
		defer end()
		group.Go(func() error { return former.index.Run(following) })
		group.Go(func() error { return former.reader.Run(following) })
		group.Go(func() error { return s.handOver(ctx, end) })
	}
	group.Go(func() error { return s.reader.Run(ctx) })
	group.Go(func() error { return s.commits.Run(ctx) })
	group.Go(func() error { return s.sources.Run(ctx) })
	group.Go(func() error { return s.trigrams.Run(ctx) })
	group.Go(func() error {
		s.learned.follow(ctx, s.bus.Bucket(contract.BucketModels))
		return nil
	})
	group.Go(func() error { return s.tellStanding(ctx) })
	group.Go(func() error { return s.usage.run(ctx) })
	group.Go(func() error { return bus.ServeReport(ctx, s.bus, s.Report) })
	group.Go(func() error { return s.serve(ctx) })
	return group.Wait()
}

func (s *Service) serve(ctx context.Context) error {
	svc, err := rpc.NewService(s.bus, serviceName, "searches files and repositories as they are now", s.cfg.Version)
	if err != nil {
		return err
	}
	s.Drains(svc)
	err = rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "search", Subject: contract.SubjectSearch, Limit: s.cfg.Concurrency,
		Deadline: s.cfg.MaxDeadline, // what the body says of it counts from the arrival, too
	}, audited(s, contract.SubjectSearch, lookSearch, s.Search))
	if err == nil {
		err = s.serveGrep(ctx, svc)
	}
	if err == nil {
		err = s.serveFiles(ctx, svc)
	}
	if err == nil {
		err = s.serveRead(ctx, svc)
	}
	if err == nil {
		err = s.serveOutline(ctx, svc)
	}
	if err == nil {
		err = s.servePassages(ctx, svc)
	}
	if err == nil {
		err = s.serveContext(ctx, svc)
	}
	if err == nil {
		err = s.serveRelated(ctx, svc)
	}
	if err == nil {
		err = s.answering.serve(ctx, svc)
	}
	if err == nil {
		err = s.serveLeases(ctx, svc)
	}
	if err == nil {
		err = watches{s}.serve(ctx, svc)
	}
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "status", Subject: contract.SubjectStatus, Limit: 4},
			func(ctx context.Context, _ struct{}) (contract.StatusReply, error) { return s.Status(ctx) })
	}
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "explain", Subject: contract.SubjectExplainQuery, Limit: explainLimit}, audited(s, contract.SubjectExplainQuery, lookExplained, s.Explain))
	}
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "reranker", Subject: contract.SubjectReranker, Limit: 4, Left: rpc.Finished}, s.Reranker)
	}
	if err == nil {
		err = s.serveLetters(ctx, svc)
	}
	if err == nil {
		err = s.serveFeedback(ctx, svc)
	}
	if err == nil {
		err = s.serveLosses(ctx, svc)
	}
	if err == nil {
		err = s.serveAudit(ctx, svc)
	}
	if err == nil {
		err = bounded(ctx, s, svc, endpoint{"build-accept", contract.SubjectBuildAccept, acceptLimit, rpc.Finished}, s.handover.accept)
	}
	if err == nil {
		err = bounded(ctx, s, svc, endpoint{"reindex", contract.SubjectReindex, acceptLimit, rpc.Finished}, reindexing{s}.ask)
	}
	if err == nil {
		err = s.serveKeys(ctx, svc)
	}
	if err == nil {
		err = s.serveAccess(ctx, svc)
	}
	if err != nil {
		return errors.Join(err, svc.Stop())
	}
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
	maps.Copy(r.Counters, s.guard.Counters())
	for i, within := range toldWithin {
		r.Counters[fmt.Sprintf("standing_told_%dms", within.Milliseconds())] = c.standingWithin[i].Load()
	}
	return r
}

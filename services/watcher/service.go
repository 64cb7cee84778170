package watcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/strategy"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/mirror"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// fullRuns is how many full comparisons run at once: each of them keeps
// several cores busy.
const fullRuns = 2

// Service is the watcher.
type Service struct {
	cfg       Config
	log       *slog.Logger
	reading   origin.Reading
	started   time.Time
	stats     stats
	cuts      cuts
	fullSlots chan struct{}

	watching atomic.Bool // every source that was asked for
	reserve  atomic.Bool // another watcher runs

	// since start
	seen, published, bytes, rescans atomic.Uint64

	mirrors mirrors
	*roster
	*records
	*nameBook
}

// New returns a Service with a valid configuration on a Bus, which stays the caller's. The error is
// InvalidRequest.
func New(cfg Config, b *bus.Bus, log *slog.Logger) (*Service, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Service{
		cfg: cfg, log: log, records: &records{bus: b}, started: time.Now(), fullSlots: make(chan struct{}, fullRuns),
		stats: stats{views: map[viewKey]*viewStats{}}, mirrors: mirrors{all: map[string]*mirror.Mirror{}},
	}
	s.mirrors.svc = s
	s.roster = &roster{svc: s, watched: map[document.Source]*source{}}
	s.nameBook = &nameBook{svc: s}
	collections, err := classify.NewCollections(cfg.Collections.Own)
	if err != nil {
		return nil, err
	}
	if s.reading, err = origin.NewReading(int64(cfg.MaxFileSize), cfg.StateDir, collections, log); err != nil {
		return nil, err
	}
	if s.cuts.strategies, err = strategy.New(cfg.Strategies); err != nil {
		return nil, err
	}
	if s.reading.StateDir != "" {
		s.mirrors.dir = filepath.Join(s.reading.StateDir, "remotes")
	}
	return s, nil
}

// lead watches the configured roots and serves requests until ctx ends; then
// it stops every source and returns nil. A root that cannot be watched is an
// error at once.
func (s *Service) lead(ctx context.Context) error {
	files := s.bus.Files()
	if err := files.Ready(ctx); err != nil {
		return fmt.Errorf("start the watcher: %w", err)
	}
	s.ledger = newLedger(files)
	s.stats.clear()
	defer files.Observe(s.ledger.observe)()
	defer files.Observe(s.stats.observe)()
	reg, err := openRegistry(ctx, s.bus, s.log)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.registry, s.stopped = reg, false
	s.mu.Unlock()
	g, gctx := errgroup.WithContext(ctx)
	defer s.stopAll()
	adds := slices.Clone(s.cfg.Sources)
	for _, root := range s.cfg.Roots {
		adds = append(adds, contract.SourceAdd{Root: root, Exclude: exactly(s.cfg.Exclude)})
	}
	// Nothing has to be there for an API source or a remote, so it needs no naming again.
	for name, r := range reg.list {
		switch {
		case r.Kind == contract.SourceAPI:
			adds = append(adds, contract.SourceAdd{Kind: r.Kind, Source: name})
		case r.Remote != "":
			adds = append(adds, contract.SourceAdd{Remote: r.Remote, Branch: r.Branch, Source: name})
		}
	}
	if err := s.mirrors.keep(reg.list); err != nil {
		s.log.Warn("copies of repositories that are no sources any more cannot be removed", "error", err)
	}
	for _, add := range adds {
		src, fresh, err := s.watch(gctx, add)
		if err != nil {
			return err
		}
		if fresh {
			g.Go(func() error {
				_, err := src.full.ask(gctx, false)
				src.full.makeUp(gctx, err)
				return nil
			})
		}
	}
	s.watching.Store(true)
	defer s.watching.Store(false)
	g.Go(func() error { return s.serve(gctx) })
	g.Go(func() error { return bus.ServeReport(gctx, s.bus, s.report) })
	g.Go(func() error { return s.rescan(gctx) })
	g.Go(func() error { return bus.CollectBodies(gctx, s.bus, s.log) })
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// rescan compares every source from time to time: a watch may have missed
// something.
func (s *Service) rescan(ctx context.Context) error {
	tick := time.NewTicker(s.cfg.Rescan)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		for _, src := range s.sources() {
			if _, err := src.full.ask(ctx, false); ctx.Err() == nil && err != nil {
				s.log.Warn("rescan failed", "source", src.name, "error", err)
			}
		}
	}
}

// count adds a written version to the counters.
func (s *Service) count(h contract.FileHead) {
	s.published.Add(1)
	if h.Op == contract.OpPut {
		s.bytes.Add(uint64(h.Size))
	}
}

// report is the watcher's part of the status.
func (s *Service) report() contract.Report {
	r := contract.Report{
		Service: "watcher", Started: s.started, Sources: s.list(),
		Counters: map[string]uint64{
			"files_seen": s.seen.Load(), "files_read": s.reading.Reads.Load(), "published": s.published.Load(),
			"bytes": s.bytes.Load(), "rescans": s.rescans.Load(),
		},
	}
	for _, src := range s.sources() {
		r.Counters["overflows"] += src.follower.overflows()
		for reason, n := range s.stats.of(src.name, src.position.view()).skipped {
			r.Counters["skipped: "+reason] += uint64(n)
		}
	}
	s.mu.RLock()
	r.Counters["overflows"] += s.lost
	s.mu.RUnlock()
	return r
}

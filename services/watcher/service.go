package watcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// fullRuns is how many full comparisons run at once: each of them keeps
// several cores busy.
const fullRuns = 2

// Service is the watcher.
type Service struct {
	cfg       Config
	bus       *bus.Bus
	log       *slog.Logger
	stateDir  string
	started   time.Time
	ledger    *ledger
	stats     stats
	fullSlots chan struct{}

	watching atomic.Bool // every source that was asked for
	reserve  atomic.Bool // another watcher runs

	// since start
	seen, reads, published, bytes, rescans atomic.Uint64

	admin    sync.Mutex // one addition or removal at a time
	mu       sync.RWMutex
	registry *registry
	watched  map[document.Source]*source
	stopped  bool
	lost     uint64 // overflows of sources that were stopped
}

// New returns a Service with a valid configuration on a Bus, which stays the caller's. The error is
// InvalidRequest.
func New(cfg Config, b *bus.Bus, log *slog.Logger) (*Service, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Service{
		cfg: cfg, bus: b, log: log, started: time.Now(), fullSlots: make(chan struct{}, fullRuns),
		stats: stats{views: map[viewKey]*viewStats{}}, watched: map[document.Source]*source{},
	}
	if cfg.StateDir != "" {
		abs, err := filepath.Abs(cfg.StateDir)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "the state folder %q cannot be made absolute: %w", cfg.StateDir, err)
		}
		if resolved, err := filepath.EvalSymlinks(abs); err == nil {
			abs = resolved
		}
		s.stateDir = abs
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
	// Nothing has to be there for an API source, so it needs no naming again.
	for name, r := range reg.list {
		if r.Kind == contract.SourceAPI {
			adds = append(adds, contract.SourceAdd{Kind: r.Kind, Source: name})
		}
	}
	for _, add := range adds {
		src, fresh, err := s.watch(gctx, add)
		if err != nil {
			return err
		}
		if fresh {
			g.Go(func() error {
				_, err := src.full(gctx, false)
				src.makeUp(gctx, err)
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

// stopAll ends every source.
func (s *Service) stopAll() {
	s.admin.Lock()
	defer s.admin.Unlock()
	s.mu.Lock()
	sources := slices.Collect(maps.Values(s.watched))
	clear(s.watched)
	s.stopped = true
	s.mu.Unlock()
	for _, src := range sources {
		src.stop()
	}
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
			if _, err := src.full(ctx, false); ctx.Err() == nil && err != nil {
				s.log.Warn("rescan failed", "source", src.name, "error", err)
			}
		}
	}
}

// sources returns the watched sources by name.
func (s *Service) sources() []*source {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []*source
	for _, name := range slices.Sorted(maps.Keys(s.watched)) {
		out = append(out, s.watched[name])
	}
	return out
}

// watch registers a root and sets its source going. fresh is false when it is
// being watched already. The first comparison is the caller's.
func (s *Service) watch(ctx context.Context, add contract.SourceAdd) (src *source, fresh bool, err error) {
	p, err := placeOf(add)
	if err != nil {
		return nil, false, err
	}
	if err := pathset.CheckExcludes(add.Exclude); err != nil {
		return nil, false, document.Errorf(document.InvalidRequest, "what is to be left out %w", err)
	}
	s.admin.Lock()
	defer s.admin.Unlock()
	s.mu.RLock()
	reg, err := s.registry.resolve(p, add.Source, add.Branch)
	src = s.watched[reg.Source]
	if s.stopped {
		err = document.Errorf(document.Unavailable, "the watcher is stopping: ask again")
	}
	s.mu.RUnlock()
	if add.Exclude != nil {
		reg.Exclude = add.Exclude
	}
	if err == nil && src != nil {
		err = s.exclude(ctx, src, reg)
	}
	if err != nil || src != nil {
		return src, false, err
	}
	src, err = openSource(ctx, s, reg, p)
	if err != nil {
		return nil, false, err
	}
	if err := s.nested(src); err != nil {
		src.close()
		return nil, false, err
	}
	s.mu.Lock()
	err = s.registry.put(ctx, reg)
	if err == nil {
		s.watched[reg.Source] = src
	}
	s.mu.Unlock()
	if err != nil {
		src.close()
		return nil, false, err
	}
	src.start()
	return src, true, nil
}

// nested refuses a source that would index what another one indexes.
func (s *Service) nested(src *source) error {
	for _, other := range s.sources() {
		if src.place.kind == contract.SourceAPI || other.place.kind == contract.SourceAPI {
			continue
		}
		switch {
		case other.covers(src.place.root):
			return document.Errorf(document.Conflict, "%s lies in the watched source %q (%s): search that with a path filter, or remove it first", src.place.root, other.name, other.place.root)
		case src.covers(other.place.root):
			return document.Errorf(document.Conflict, "%s holds the watched source %q (%s): remove that first", src.place.root, other.name, other.place.root)
		}
	}
	return nil
}

// count adds a written version to the counters.
func (s *Service) count(h contract.FileHead) {
	s.published.Add(1)
	if h.Op == contract.OpPut {
		s.bytes.Add(uint64(h.Size))
	}
}

// tell announces a version that the log has taken. Who does not listen has
// lost nothing, so a failure is none.
func (s *Service) tell(ctx context.Context, h contract.FileHead) {
	token, err := s.bus.Token(ctx, uint64(h.Version))
	if err != nil {
		return
	}
	if js, err := json.Marshal(contract.ChangeOf(h, token)); err == nil {
		_ = s.bus.Conn().Publish(contract.ChangeSubject(h.Source, h.View), js)
	}
}

// known reports whether the log has a document at a path.
func (s *Service) known(src *source, raw string) bool {
	return present(s.ledger.get(bus.FileKey{
		Source: src.name, Doc: document.DocOf(document.EncodePath(raw)), View: src.currentView(),
	}))
}

// head returns the newest head of a document, the zero head where there is none.
func (s *Service) head(ctx context.Context, k bus.FileKey) (contract.FileHead, error) {
	if !s.ledger.doubts(k) {
		return s.ledger.get(k), nil
	}
	h, err := s.readHead(ctx, contract.FileSubject(k.Source, k.Doc, k.View))
	switch {
	case err != nil:
		return h, err
	case h.Version == 0:
		s.ledger.forget(k)
	default:
		s.ledger.note(h)
	}
	return h, nil
}

// readHead reads the head of a subject from the stream; the zero head where it
// has none.
func (s *Service) readHead(ctx context.Context, subject string) (contract.FileHead, error) {
	msgs, err := s.bus.GetLast(ctx, contract.StreamFiles, subject)
	if err != nil {
		return contract.FileHead{}, err
	}
	m := msgs[subject]
	if m == nil {
		return contract.FileHead{}, nil
	}
	head, err := contract.ParseFileHead(subject, m.Seq, m.Header)
	if err == nil {
		return head, nil
	}
	// It says nothing of the document, but what is written has to replace it.
	k, err := contract.ParseSubject(subject)
	return contract.FileHead{Source: k.Source, Doc: k.Doc, View: k.View, Version: document.Version(m.Seq)}, err
}

// report is the watcher's part of the status.
func (s *Service) report() contract.Report {
	r := contract.Report{
		Service: "watcher", Started: s.started, Sources: s.list(),
		Counters: map[string]uint64{
			"files_seen": s.seen.Load(), "files_read": s.reads.Load(), "published": s.published.Load(),
			"bytes": s.bytes.Load(), "rescans": s.rescans.Load(),
		},
	}
	for _, src := range s.sources() {
		r.Counters["overflows"] += src.overflows()
		for reason, n := range s.stats.of(src.name, src.currentView()).skipped {
			r.Counters["skipped: "+reason] += uint64(n)
		}
	}
	s.mu.RLock()
	r.Counters["overflows"] += s.lost
	s.mu.RUnlock()
	return r
}

// list describes every registered source, watched or not.
func (s *Service) list() []contract.SourceInfo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := []contract.SourceInfo{}
	for _, name := range slices.Sorted(maps.Keys(s.registry.list)) {
		if src := s.watched[name]; src != nil {
			out = append(out, src.info())
			continue
		}
		i := s.registry.list[name].info()
		for _, v := range s.stats.viewsOf(name) {
			st := s.stats.of(name, v)
			if st.documents+len(st.skipped) == 0 {
				continue
			}
			i.View, i.Documents, i.Bytes, i.Commit = v, st.documents, st.bytes, st.marker.Commit
			for _, n := range st.skipped {
				i.Skipped += n
			}
		}
		out = append(out, i)
	}
	return out
}

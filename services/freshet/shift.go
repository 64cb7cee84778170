package freshet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
)

// shift is the services that make an index as it is configured, beside it what answers
// until that is complete, and their stores. Another one takes its place where the index
// is to be made once more.
type shift struct {
	build    contract.Build
	settings settings
	made     *builds
	former   *former // nil: nothing else answers
	before   *rollout.Reclaimer
	sinks    open.Stores // of build, of which the former may use some, too
	ahead    open.Stores // of what takes its place

	cut       *chunker.Service
	vectors   *embedder.Service
	index     *indexer.Service
	answer    *query.Service
	replacing *replacement
}

// shifts opens one after the other.
type shifts struct {
	o        Options
	models   embedders.Set
	before   embedders.Set // those that were configured before a reload
	analyzer *analysis.Analyzer
	bus      *bus.Bus
	settings settings // with what the state folder adds
	unclean  bool     // the run before did not end cleanly

	reloads chan reload // what is to be configured from now on

	mu  sync.Mutex // held while what nobody makes any more is taken away
	now *shift     // nil while one takes the place of another
}

// open makes the services of a shift, which takes over the stores that prev has open.
// prev is nil at the start.
func (w *shifts) open(ctx context.Context, again bus.Reindex, prev *shift) (_ *shift, err error) {
	o := w.o
	build := again.Of(rollout.Configured(o.Config, w.models.Space))
	s := &shift{build: build, settings: w.settings}
	named := settingsOf(o.Config, build)
	s.settings.embedder, s.settings.chunker = named.embedder, named.chunker
	s.settings.chunker.ParserCommand = o.ParserCommand
	s.settings.stores.Generations, s.settings.stores.Dims = named.stores.Generations, named.stores.Dims
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeBut(prev))
		}
	}()

	bus.Configure(w.bus, build)
	s.before = &rollout.Reclaimer{Bus: w.bus, Log: o.Log, Keep: build, Grace: s.settings.grace, Drop: s.settings.stores.Drop, DropTokens: s.settings.stores.DropTokens}
	if err := s.before.Resume(ctx); err != nil {
		return s, err
	}
	if s.made, err = openBuilds(ctx, w.bus, build, o.Log); err != nil {
		return s, err
	}
	earlier, err := s.made.former(ctx, o, w.models, w.before)
	if err != nil {
		return s, err
	}
	s.settings.stores.Keep = earlier.generations()
	if s.made.held != nil {
		if err := errors.Join(prev.leaveAhead(), s.made.held.clear(s.settings.stores)); err != nil {
			return s, err
		}
	}
	if s.sinks, err = prev.stores(s.settings.stores); err != nil {
		return s, err
	}
	if earlier != nil {
		s.former = earlier
		if err := earlier.open(w.bus, prev, s.settings.stores, o.Log); err != nil {
			return s, err
		}
	}
	return s, w.services(s, prev)
}

// services makes those of a shift whose stores are open.
func (w *shifts) services(s, prev *shift) (err error) {
	o, p, earlier, made := w.o, s.settings, s.former, s.made
	if s.cut, err = chunker.New(p.chunker, chunker.Deps{Bus: w.bus, Log: o.Log}); err != nil {
		return err
	}
	vectors := embedder.Deps{Bus: w.bus, Embedders: w.models, Former: earlier.embedders(), Log: o.Log, Version: process.Version, Begin: made.held.begun()}
	if prev != nil {
		vectors.Continues = prev.vectors
	}
	p.embedder.Shared = earlier.shared()
	if s.vectors, err = embedder.New(p.embedder, vectors); err != nil {
		return err
	}
	indexing := indexer.Deps{
		Bus: w.bus, Generations: s.sinks, Analyzer: w.analyzer, Log: o.Log, Version: process.Version,
		Chunker: contract.ChunkerConsumer(s.build.ID()), Build: s.build.ID(),
		Unclean: w.unclean && prev == nil,
	}
	earlier.indexed(&indexing, made.held)
	if s.index, err = indexer.New(p.indexer, indexing); err != nil {
		return err
	}
	s.answer, err = query.New(p.query, query.Deps{
		Bus: w.bus, Stores: s.sinks, Analyzer: w.analyzer, Log: o.Log,
		Build: s.build, Former: earlier.answers(s.sinks, made.held),
	})
	if err != nil {
		return err
	}
	alone := p.stores
	alone.Keep = nil
	s.replacing = &replacement{former: earlier, builds: made, index: s.index, answer: s.answer, stores: alone, log: o.Log}
	return nil
}

// opened are the stores of a generation that a shift has open.
func (s *shift) opened(g document.Generation) (store.Sinks, bool) {
	if s == nil {
		return store.Sinks{}, false
	}
	if sinks, ok := s.sinks[g]; ok {
		return sinks, ok
	}
	if sinks, ok := s.ahead[g]; ok || s.former == nil {
		return sinks, ok
	}
	sinks, ok := s.former.sinks[g]
	return sinks, ok
}

// stores takes over those that s has open, and opens the others.
func (s *shift) stores(o open.Options) (open.Stores, error) {
	all := open.Stores{}
	var missing []document.Generation
	for _, g := range o.Generations {
		if sinks, ok := s.opened(g); ok {
			all[g] = sinks
			o.Keep = append(slices.Clip(o.Keep), g)
			continue
		}
		missing = append(missing, g)
	}
	if len(missing) == 0 {
		return all, nil
	}
	o.Generations = missing
	opened, err := open.Open(o)
	maps.Copy(all, opened)
	return all, err
}

// closeBut closes the stores of a shift that next, which may be nil, has not taken
// over. Its services have ended.
func (s *shift) closeBut(next *shift) error {
	of := []open.Stores{s.sinks, s.ahead}
	if s.former != nil {
		of = append(of, s.former.sinks)
		s.former.sinks = nil
	}
	var errs []error
	for _, sinks := range of {
		left := maps.Clone(sinks)
		maps.DeleteFunc(left, func(g document.Generation, _ store.Sinks) bool {
			_, taken := next.opened(g)
			return taken
		})
		errs = append(errs, left.Close())
	}
	return errors.Join(errs...)
}

// reclaim takes away what nobody makes any more, unless another shift has taken the
// place of s: it may make that.
func (w *shifts) reclaim(ctx context.Context, s *shift) (removed bool, again time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now != s {
		return false, 0
	}
	return s.before.Reclaim(ctx)
}

func (w *shifts) set(s *shift) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = s
}

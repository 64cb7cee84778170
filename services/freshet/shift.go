package freshet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
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
	build  contract.Build
	plan   plan
	made   *builds
	former *former // nil: nothing else answers
	before *rollout.Reclaimer
	sinks  open.Stores

	cut       *chunker.Service
	vectors   *embedder.Service
	index     *indexer.Service
	answer    *query.Service
	replacing *replacement
}

// shifts opens one after the other.
type shifts struct {
	o        Options
	model    embed.Embedder
	analyzer *analysis.Analyzer
	bus      *bus.Bus
	plan     plan // with what the state folder adds
	unclean  bool // the run before did not end cleanly

	mu  sync.Mutex // held while what nobody makes any more is taken away
	now *shift     // nil while one takes the place of another
}

// open makes the services of a shift, which takes over the stores that prev has open.
// prev is nil at the start.
func (w *shifts) open(ctx context.Context, again int, prev *shift) (_ *shift, err error) {
	o := w.o
	build := rollout.Configured(o.Config, embed.SpaceOf(w.model))
	build.Again = again
	s := &shift{build: build, plan: w.plan}
	named := planOf(o.Config, rollout.Space(build), w.analyzer.Signature())
	s.plan.embedder, s.plan.chunker = named.embedder, named.chunker
	s.plan.chunker.ParserCommand = o.ParserCommand
	s.plan.stores.Generations = named.stores.Generations
	defer func() {
		if err != nil {
			err = errors.Join(err, s.closeBut(prev))
		}
	}()

	bus.Configure(w.bus, build)
	s.before = &rollout.Reclaimer{Bus: w.bus, Log: o.Log, Keep: build, Grace: s.plan.grace, Drop: s.plan.stores.Drop, DropTokens: s.plan.stores.DropTokens}
	if err := s.before.Resume(ctx); err != nil {
		return s, err
	}
	if s.made, err = openBuilds(ctx, w.bus, build, o.Log); err != nil {
		return s, err
	}
	earlier, err := s.made.former(ctx, o, w.model)
	if err != nil {
		return s, err
	}
	s.plan.stores.Keep = earlier.generations()
	if s.made.held != nil {
		if err := s.made.held.clear(s.plan.stores); err != nil {
			return s, err
		}
	}
	if s.sinks = prev.storesOf(build.ID()); s.sinks == nil {
		if s.sinks, err = open.Open(s.plan.stores); err != nil {
			return s, err
		}
	}
	if earlier != nil {
		s.former = earlier
		earlier.sinks = prev.storesOf(earlier.build.ID())
		if err := earlier.open(w.bus, s.plan.stores, o.Log); err != nil {
			return s, err
		}
	}
	return s, w.services(s, prev)
}

// services makes those of a shift whose stores are open.
func (w *shifts) services(s, prev *shift) (err error) {
	o, p, earlier, made := w.o, s.plan, s.former, s.made
	if s.cut, err = chunker.New(p.chunker, chunker.Deps{Bus: w.bus, Log: o.Log}); err != nil {
		return err
	}
	vectors := embedder.Deps{Bus: w.bus, Embedder: w.model, Former: earlier.embedder(s.build), Log: o.Log, Version: process.Version, Begin: made.held.begun()}
	if prev != nil {
		vectors.Continues = prev.vectors
	}
	if s.vectors, err = embedder.New(p.embedder, vectors); err != nil {
		return err
	}
	indexing := indexer.Deps{
		Bus: w.bus, Generations: s.sinks, Analyzer: w.analyzer, Log: o.Log, Version: process.Version,
		Chunker: contract.ChunkerConsumer(p.chunker.Signature(), s.build.Naming()),
		Unclean: w.unclean && prev == nil,
	}
	earlier.indexed(&indexing, made.held)
	if s.index, err = indexer.New(p.indexer, indexing); err != nil {
		return err
	}
	s.answer, err = query.New(p.query, query.Deps{
		Bus: w.bus, Stores: s.sinks, Analyzer: w.analyzer, Embedder: w.model.Identity(), Log: o.Log,
		Build: s.build, Former: earlier.answers(made.held),
	})
	if err != nil {
		return err
	}
	alone := p.stores
	alone.Keep = nil
	s.replacing = &replacement{former: earlier, builds: made, index: s.index, answer: s.answer, stores: alone, log: o.Log}
	return nil
}

// storesOf are the stores of a build that a shift has open; nil for none.
func (s *shift) storesOf(id contract.BuildID) open.Stores {
	switch {
	case s == nil:
		return nil
	case s.build.ID() == id:
		return s.sinks
	case s.former != nil && s.former.build.ID() == id:
		return s.former.sinks
	}
	return nil
}

// closeBut closes the stores of a shift that next, which may be nil, has not taken
// over. Its services have ended.
func (s *shift) closeBut(next *shift) error {
	var errs []error
	if s.sinks != nil && next.storesOf(s.build.ID()) == nil {
		errs = append(errs, s.sinks.Close())
	}
	if f := s.former; f != nil && next.storesOf(f.build.ID()) == nil {
		errs = append(errs, f.close())
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

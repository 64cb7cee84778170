package freshet

import (
	"context"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/open"
)

// refused is the error of an index that is not begun: what ran before it runs as if
// nobody had asked for another one.
type refused struct{ error }

// Unwrap lets its kind be seen.
func (r refused) Unwrap() error { return r.error }

// openAhead opens the stores that take what is made next, before anything of prev is
// stopped for it but what waits.
func (w *shifts) openAhead(again bus.Reindex, prev *shift) error {
	o := w.settings.stores
	named := settingsOf(w.o.Config, again.Of(rollout.Configured(w.o.Config, w.models.Space))).stores
	o.Generations, o.Dims, o.Keep = named.Generations, named.Dims, slices.Collect(maps.Keys(prev.sinks))
	if prev.former != nil {
		o.Keep = slices.AppendSeq(o.Keep, maps.Keys(prev.former.sinks))
	}
	all, err := prev.stores(o)
	if err != nil {
		return document.Errorf(document.Conflict, "the stores of another index cannot be opened, and nothing is changed: %w", err)
	}
	maps.DeleteFunc(all, func(g document.Generation, _ store.Sinks) bool {
		_, there := prev.opened(g)
		return there
	})
	prev.ahead = all
	return nil
}

// leaveAhead closes what was opened ahead.
func (s *shift) leaveAhead() error {
	if s == nil {
		return nil
	}
	ahead := s.ahead
	s.ahead = open.Stores{}
	return ahead.Close()
}

// alone reports whether nothing of before answers in the place of s any more.
func (s *shift) alone() bool { return s.former == nil || s.former.sinks == nil }

// putBack has the record say how often s is made.
func (w *shifts) putBack(ctx context.Context, again bus.Reindex, s *shift) {
	back := again
	back.Again, back.Collections, back.Back, back.BackCollections = s.build.Again, nil, nil, nil
	for c, own := range s.build.Own {
		if own.Again == 0 {
			continue
		}
		if back.Collections == nil {
			back.Collections = map[document.Collection]int{}
		}
		back.Collections[c] = own.Again
	}
	if err := (bus.Reindexing{Bus: w.bus}).Write(ctx, again, back); err != nil && ctx.Err() == nil {
		w.o.Log.Warn("the next start makes the index once more", "error", err)
	}
}

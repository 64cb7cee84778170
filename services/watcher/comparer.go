package watcher

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// comparer brings what the log has of one source in line with what that is. Its
// comparisons may overlap.
type comparer struct {
	svc     *Service
	origin  *origin.Origin
	life    *life
	claims  claims
	room    *room
	retries *retries
}

// newComparer returns a comparer with nothing under way.
func newComparer(svc *Service, o *origin.Origin, q *quota, l *life) *comparer {
	return &comparer{
		svc: svc, origin: o, life: l, claims: claims{held: map[document.DocID]claim{}},
		room: newRoom(svc, q), retries: &retries{paths: map[string]bool{}},
	}
}

// compare brings the scopes of a view in line with the truth. Puts are written
// first; deletes follow when all of them are in the log, so that a renamed
// document is never in neither place.
func (c *comparer) compare(ctx context.Context, t origin.Truth, view document.View, scopes []scope, live bool) (outcome, error) {
	one := &comparison{by: c, truth: t, view: view, pipe: newPipe(ctx, c, t, live), seen: map[document.Path]bool{}}
	return one.run(ctx, scopes)
}

// known reports whether the log has anything of the source.
func (c *comparer) known() bool { return len(c.svc.ledger.views(c.origin.Name)) > 0 }

// retire empties every other view of the source: HEAD of a bare repository
// names another branch now, or the source was of another kind.
func (c *comparer) retire(ctx context.Context, keep document.View) (changed int, err error) {
	for _, v := range c.svc.ledger.views(c.origin.Name) {
		if v == keep {
			continue
		}
		out, err := c.clear(ctx, v)
		changed += out.changed
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// clear deletes every document of a view, and marks that.
func (c *comparer) clear(ctx context.Context, v document.View) (outcome, error) {
	out, err := c.compare(ctx, origin.Nothing{}, v, []scope{{tree: true}}, false)
	if err != nil {
		return out, err
	}
	marker, err := c.mark(ctx, v, "", out.highest)
	out.highest = max(out.highest, marker)
	return out, err
}

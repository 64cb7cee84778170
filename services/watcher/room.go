package watcher

import (
	"context"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// room counts the new documents of a source that are on their way: the head
// table counts those that have arrived. All comparisons of a source share it.
type room struct {
	quota *quota
	svc   *Service

	mu    sync.Mutex
	way   map[bus.FileKey]traveller
	sum   extent
	sweep int // size of way at which the table is asked who has arrived
}

// traveller is a new document on its way into the log.
type traveller struct {
	size int64
	// replaces is the version that it does; the table's being newer means that
	// it has arrived.
	replaces document.Version
	// version is the one that was written, 0 until it is. The table may have
	// seen it, and that the document was deleted and purged since.
	version document.Version
}

func newRoom(svc *Service, q *quota) *room {
	return &room{quota: q, svc: svc, way: map[bus.FileKey]traveller{}, sweep: 1024}
}

// take makes room for a document, and reports false where there is none.
func (r *room) take(key bus.FileKey, t traveller) bool {
	limit := r.quota.allowance()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(key)
	fits := func() bool {
		have := r.svc.stats.extent(key.Source, key.View)
		return extent{have.Files + r.sum.Files + 1, have.Bytes + r.sum.Bytes + t.size}.within(limit)
	}
	ok := fits()
	if !ok || len(r.way) >= r.sweep {
		seen := document.Version(r.svc.ledger.files.Seen())
		for k, other := range r.way {
			h, _ := r.svc.ledger.files.Get(k)
			if h.Version > other.replaces || other.version > 0 && other.version <= seen {
				r.drop(k)
			}
		}
		r.sweep = max(1024, 2*len(r.way))
		ok = fits()
	}
	if ok {
		r.way[key] = t
		r.sum.Files++
		r.sum.Bytes += t.size
	}
	return ok
}

// drop forgets a document. The caller holds the lock.
func (r *room) drop(key bus.FileKey) {
	if t, ok := r.way[key]; ok {
		delete(r.way, key)
		r.sum.Files--
		r.sum.Bytes -= t.size
	}
}

// arrived notes that a document was written.
func (r *room) arrived(key bus.FileKey, v document.Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t, ok := r.way[key]; ok {
		t.version = v
		r.way[key] = t
	}
}

// give returns the room of a document that turned out to be none.
func (r *room) give(key bus.FileKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(key)
}

// limited is a truth of which new documents count only while the source has
// room for them.
type limited struct {
	origin.Truth
	brief  origin.Truth
	source document.Source
	view   document.View
	room   *room
}

// newLimited wraps a truth for a comparison of a view. One that writes nothing has
// a room of its own: what it counts does not go on its way.
func newLimited(t origin.Truth, source document.Source, view document.View, r *room) *limited {
	return &limited{Truth: t, brief: t.StatOnly(), source: source, view: view, room: r}
}

func (l *limited) Look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error) {
	if known.Op == contract.OpPut || c.Raw == origin.AccessFile {
		return l.Truth.Look(ctx, c, known, park)
	}
	f, err := l.brief.Look(ctx, c, known, park)
	if err != nil || f.Kind != scan.Put {
		return f, err
	}
	key := bus.FileKey{Source: l.source, Doc: document.DocOf(f.Path), View: l.view}
	if !l.room.take(key, traveller{size: f.Size, replaces: known.Version}) {
		f.Kind, f.Reason = scan.Skip, classify.OverLimit
		if known.Op == contract.OpSkipped && known.Reason == string(f.Reason) {
			f.Kind = scan.Same
		}
		return f, nil
	}
	seen, err := l.Truth.Look(ctx, c, known, park)
	if seen.Former == (scan.ID{}) {
		seen.Former = f.Former
	}
	if err != nil || seen.Kind != scan.Put {
		l.room.give(key)
	}
	return seen, err
}

// compareLimited compares scopes of a source that may be full. Where deletes
// made room, the whole is compared once more for what waits for it: a folder
// that is renamed is new first, and gone after.
func (c *comparer) compareLimited(ctx context.Context, t origin.Truth, view document.View, scopes []scope, live bool) (outcome, error) {
	l := newLimited(t, c.origin.Name, view, c.room)
	out, err := c.compare(ctx, l, view, scopes, live)
	if err != nil || out.deleted == 0 {
		return out, err
	}
	if err := c.svc.ledger.files.Wait(ctx, uint64(out.highest)); err != nil {
		return out, err
	}
	if c.svc.stats.of(c.origin.Name, view).skipped[string(classify.OverLimit)] == 0 {
		return out, nil
	}
	more, err := c.compare(ctx, l, view, []scope{{tree: true}}, live)
	more.changed += out.changed
	more.highest = max(more.highest, out.highest)
	more.unstable = append(more.unstable, out.unstable...)
	more.linked = append(more.linked, out.linked...)
	return more, err
}

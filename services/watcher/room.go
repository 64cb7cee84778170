package watcher

import (
	"context"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// limited is a truth of which new documents count only while the source has
// room for them. It belongs to one comparison.
type limited struct {
	truth
	brief truth
	limit extent
	have  func() extent // by the head table, which lags a little

	begun extent // what there was when the comparison began

	mu      sync.Mutex
	taken   extent // what it has added since
	refused int
}

// limited wraps a truth for one comparison of a view.
func (s *source) limited(t truth, view document.View) *limited {
	have := func() extent { return s.svc.stats.extent(s.name, view) }
	return &limited{truth: t, brief: t.glance(), limit: s.allowance(), have: have, begun: have()}
}

func (l *limited) look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error) {
	if known.Op == contract.OpPut {
		return l.truth.look(ctx, c, known, park)
	}
	f, err := l.brief.look(ctx, c, known, park)
	if err != nil || f.Kind != scan.Put {
		return f, err
	}
	if !l.take(f.Size) {
		f.Kind, f.Reason = scan.Skip, classify.OverLimit
		if known.Op == contract.OpSkipped && known.Reason == string(f.Reason) {
			f.Kind = scan.Same
		}
		return f, nil
	}
	seen, err := l.truth.look(ctx, c, known, park)
	if err != nil || seen.Kind != scan.Put {
		l.give(f.Size)
	}
	return seen, err
}

// take makes room for a document.
func (l *limited) take(size int64) bool {
	now := l.have()
	l.mu.Lock()
	defer l.mu.Unlock()
	next := extent{
		Files: max(now.Files, l.begun.Files+l.taken.Files) + 1,
		Bytes: max(now.Bytes, l.begun.Bytes+l.taken.Bytes) + size,
	}
	if !next.within(l.limit) {
		l.refused++
		return false
	}
	l.taken.Files++
	l.taken.Bytes += size
	return true
}

func (l *limited) give(size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken.Files--
	l.taken.Bytes -= size
}

// again reports whether a comparison that left documents out made room, by
// what it deleted: a folder that was renamed is new first, and gone after.
func (l *limited) again() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused > 0 && l.have().Files < l.begun.Files+l.taken.Files
}

// compareLimited compares scopes of a source that may be full.
func (s *source) compareLimited(ctx context.Context, t truth, view document.View, scopes []scope, live bool) (outcome, error) {
	l := s.limited(t, view)
	out, err := s.compare(ctx, l, view, scopes, live)
	if err != nil || l.refused == 0 {
		return out, err
	}
	if err := s.svc.ledger.files.Wait(ctx, uint64(out.highest)); err != nil || !l.again() {
		return out, err
	}
	more, err := s.compare(ctx, s.limited(t, view), view, scopes, live)
	more.changed += out.changed
	more.highest = max(more.highest, out.highest)
	more.unstable = append(more.unstable, out.unstable...)
	return more, err
}

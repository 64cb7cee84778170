package watcher

import (
	"context"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// ledger is what the watcher knows of the heads of FILES: the head table, and
// above it what was written since the table last moved. It is safe for
// concurrent use.
type ledger struct {
	files *bus.Table[bus.FileKey, contract.FileHead]

	mu     sync.Mutex
	recent map[bus.FileKey]contract.FileHead
	sweep  int // size of recent at which the table is asked what it has seen
	// doubted are documents of which a publish failed: the log may have it all
	// the same.
	doubted map[bus.FileKey]bool
}

func newLedger(files *bus.Table[bus.FileKey, contract.FileHead]) *ledger {
	return &ledger{files: files, recent: map[bus.FileKey]contract.FileHead{}, sweep: 1024, doubted: map[bus.FileKey]bool{}}
}

// get returns the newest known head, the zero head where there is none.
func (l *ledger) get(k bus.FileKey) contract.FileHead {
	h, _ := l.files.Get(k)
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.recent[k]; ok && r.Version > h.Version {
		return r
	}
	return h
}

// all returns the newest known heads of the documents that match.
func (l *ledger) all(match func(bus.FileKey, contract.FileHead) bool) map[bus.FileKey]contract.FileHead {
	found := map[bus.FileKey]contract.FileHead{}
	l.files.Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Doc != document.MarkerDoc && match(k, h) {
			found[k] = h
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, r := range l.recent {
		if k.Doc != document.MarkerDoc && r.Version > found[k].Version && match(k, r) {
			found[k] = r
		}
	}
	return found
}

// note records a head that was just written or read from the leader.
func (l *ledger) note(h contract.FileHead) {
	// The table observes the ledger under its lock, so it is not asked under the
	// ledger's.
	seen := l.files.Seen()
	l.mu.Lock()
	defer l.mu.Unlock()
	k := bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View}
	l.recent[k] = h
	delete(l.doubted, k)
	if len(l.recent) < l.sweep {
		return
	}
	l.dropSeen(seen)
}

// observe forgets what was purged. The table calls it for every change, under
// its lock.
func (l *ledger) observe(k bus.FileKey, old, now contract.FileHead) {
	if now.Version != 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.recent[k]; ok && r.Version <= old.Version {
		delete(l.recent, k)
	}
}

// rely leaves what the table has seen to the table: after an audit it knows
// better what is there.
func (l *ledger) rely() {
	seen := l.files.Seen()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropSeen(seen)
}

func (l *ledger) dropSeen(seen uint64) {
	for k, r := range l.recent {
		if uint64(r.Version) <= seen {
			delete(l.recent, k)
		}
	}
	l.sweep = max(1024, 2*len(l.recent))
}

// reach waits until the ledger includes the log as it is now, whoever wrote it.
func (l *ledger) reach(ctx context.Context, b *bus.Bus) error {
	last, err := b.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	return l.files.Wait(ctx, last)
}

// forget drops a head that the leader no longer has.
func (l *ledger) forget(k bus.FileKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.recent, k)
	delete(l.doubted, k)
}

// doubt notes that it is not known whether a publish got through.
func (l *ledger) doubt(k bus.FileKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubted[k] = true
}

func (l *ledger) doubts(k bus.FileKey) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.doubted[k]
}

// below returns the paths of the live documents of a view that lie at or
// below one of the trees and are not in seen, and the highest version of any
// head there, deleted ones included. The tree "" is the whole view.
func (l *ledger) below(ctx context.Context, s document.Source, v document.View, trees []string, upTo document.Version, seen func(document.Path) bool) (missing []document.Path, highest document.Version, err error) {
	if err := l.files.Wait(ctx, uint64(upTo)); err != nil {
		return nil, 0, err
	}
	roots := encoded(trees)
	counts := func(k bus.FileKey, h contract.FileHead) bool {
		return k.Source == s && k.View == v && k.Doc != document.MarkerDoc && within(string(h.Path), roots)
	}
	take := func(h contract.FileHead) {
		highest = max(highest, h.Version)
		if present(h) && !seen(h.Path) {
			missing = append(missing, h.Path)
		}
	}
	// What others have written the table may not have seen. It is looked at
	// first, for it leaves when the table has.
	recent := map[bus.FileKey]contract.FileHead{}
	l.mu.Lock()
	for k, h := range l.recent {
		if counts(k, h) {
			recent[k] = h
		}
	}
	l.mu.Unlock()
	l.files.Range(func(k bus.FileKey, h contract.FileHead) bool {
		if r, ok := recent[k]; ok && r.Version > h.Version {
			return true
		}
		delete(recent, k)
		if counts(k, h) {
			take(h)
		}
		return true
	})
	for _, h := range recent {
		take(h)
	}
	return missing, highest, nil
}

// encoded are paths as documents have them.
func encoded(raw []string) []string {
	out := make([]string, len(raw))
	for i, r := range raw {
		out[i] = string(document.EncodePath(r))
	}
	return out
}

func within(path string, roots []string) bool {
	for _, r := range roots {
		if r == "" || path == r || strings.HasPrefix(path, r) && path[len(r)] == '/' {
			return true
		}
	}
	return false
}

// present reports whether a head stands for a document that is in the source.
func present(h contract.FileHead) bool { return h.Op == contract.OpPut || h.Op == contract.OpSkipped }

// views returns the views of a source that have documents.
func (l *ledger) views(s document.Source) []document.View {
	found := map[document.View]bool{}
	l.files.Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Source == s && present(h) {
			found[k.View] = true
		}
		return true
	})
	var out []document.View
	for v := range found {
		out = append(out, v)
	}
	return out
}

package freshness

import (
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

type kind uint8

const (
	newVersion kind = iota // of FILES
	other                  // something else about the document changed
	everything             // a store was exchanged
)

// event says that a document has to be looked at again.
type event struct {
	kind    kind
	key     bus.FileKey
	version document.Version
	// lower is at most the first version that this event stands for: a
	// version that was replaced before it came here is not seen.
	lower document.Version
}

// gapLife is how long a gap counts. A version is left out because a newer one
// was already in the log when the consumer came to it; that one follows within
// the consumer's backlog, a matter of milliseconds.
const gapLife = 5 * time.Second

// gap is a range of FILES' sequences that did not come.
type gap struct {
	from, to document.Version
	at       time.Time
}

// queue takes what the tables' observers see. They run under the tables'
// locks, so they only append.
type queue struct {
	wake chan struct{}

	mu      sync.Mutex
	events  []event
	pushed  uint64
	sources map[document.Source]bool
	live    bool // events are changes, no longer what was there at the start

	// Sequences of FILES that did not come because newer versions had replaced
	// them, ascending. They tell whether a document may have had a version
	// between two that were seen.
	last  document.Version
	gaps  []gap
	start document.Version // last when the start was over
}

func (q *queue) push(e event) {
	q.mu.Lock()
	q.append(e)
	q.mu.Unlock()
}

func (q *queue) append(e event) {
	q.events = append(q.events, e)
	q.pushed++
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) take() []event {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.events
	q.events = nil
	return out
}

func (q *queue) count() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pushed
}

func (q *queue) knownSources() []document.Source {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]document.Source, 0, len(q.sources))
	for s := range q.sources {
		out = append(out, s)
	}
	return out
}

// loaded ends the start: from now on a head that was not there before is new.
// The table has seen FILES up to seen, where the last ones may have been
// removed.
func (q *queue) loaded(seen uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.live = true
	q.last = max(q.last, document.Version(seen))
	q.start = q.last
}

func (q *queue) file(k bus.FileKey, old, now contract.FileHead) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now.Version == 0 {
		q.append(event{kind: other, key: k})
		return
	}
	lower := document.Version(1)
	if q.live {
		q.noteGap(now.Version)
		lower = q.firstPossible(old.Version, now.Version)
	}
	q.last = max(q.last, now.Version)
	if k.Doc == document.MarkerDoc {
		return
	}
	q.sources[k.Source] = true
	q.append(event{kind: newVersion, key: k, version: now.Version, lower: lower})
}

// noteGap is called before last is moved to seq.
func (q *queue) noteGap(seq document.Version) {
	for len(q.gaps) > 0 && time.Since(q.gaps[0].at) > gapLife {
		q.gaps = q.gaps[1:]
	}
	if seq > q.last+1 {
		q.gaps = append(q.gaps, gap{q.last + 1, seq - 1, time.Now()})
	}
}

// firstPossible returns the first version that a document may have had after
// old: now, unless some sequence between the two never came.
func (q *queue) firstPossible(old, now document.Version) document.Version {
	// A head of the start was the only one then.
	after := max(old, q.start)
	for _, g := range q.gaps {
		if from := max(g.from, after+1); from <= g.to && from < now {
			return from
		}
	}
	return now
}

func (q *queue) output(k bus.OutputKey, old, now contract.OutputHead) {
	covers := now.Covers
	if now.Seq == 0 {
		covers = old.Covers
	}
	q.touch(k.Source, k.Doc, covers)
}

func (q *queue) failure(k bus.DeadKey, old, now contract.DeadHead) {
	// A letter may be cleared for some views only.
	q.touch(k.Source, k.Doc, old.Covers)
	q.touch(k.Source, k.Doc, now.Covers)
}

func (q *queue) touch(s document.Source, d document.DocID, covers contract.Covers) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for v := range covers.All() {
		q.append(event{kind: other, key: bus.FileKey{Source: s, Doc: d, View: v}})
	}
}

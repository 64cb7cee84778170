package forecast

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// doc is a document that would be indexed.
type doc struct {
	path       document.Path
	collection document.Collection
	bytes      int64
	subject    string // in FILES, of one that is in the log
}

// tally adds up what a preview visits. It is safe for concurrent use.
type tally struct {
	mu    sync.Mutex
	docs  []doc
	bytes int64
	left  map[survey.Outcome]map[string]offences
	tell  func(documents int, bytes int64)
}

// offences are what is left out for one reason. The files of a folder that is
// left out as a whole come one by one where the source is a git tree.
type offences map[document.Path]Offender

func newTally(tell func(documents int, bytes int64)) *tally {
	return &tally{tell: tell, left: map[survey.Outcome]map[string]offences{survey.Skipped: {}, survey.Ignored: {}}}
}

// visit takes up one entry.
func (t *tally) visit(e survey.Entry) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Outcome == survey.Indexed {
		t.docs = append(t.docs, doc{path: e.Path, collection: e.Collection, bytes: e.Bytes})
		t.bytes += e.Bytes
		t.tell(len(t.docs), t.bytes)
		return nil
	}
	of := t.left[e.Outcome][e.Reason]
	if of == nil {
		of = offences{}
		t.left[e.Outcome][e.Reason] = of
	}
	have := of[e.Path]
	of[e.Path] = Offender{e.Path, e.Folder, have.Files + e.Files, have.Bytes + e.Bytes}
	return nil
}

// offenders is how many are named of what is left out for one reason.
const offenders = 3

// reasons lists what is left out, the largest first.
func (t *tally) reasons(o survey.Outcome) []Left {
	out := []Left{}
	for reason, of := range t.left[o] {
		l := Left{Reason: reason, Largest: slices.SortedFunc(maps.Values(of), func(a, b Offender) int {
			return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path))
		})}
		for _, one := range l.Largest {
			l.Files += one.Files
			l.Bytes += one.Bytes
		}
		l.Largest = l.Largest[:min(offenders, len(l.Largest))]
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b Left) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Files, a.Files), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

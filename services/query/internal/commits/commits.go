// Package commits knows which git commits the log includes, by the markers of
// the views.
package commits

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Index keeps the markers. It is safe for concurrent use.
type Index struct {
	files *bus.Table[bus.FileKey, contract.FileHead]

	mu      sync.Mutex
	markers map[bus.FileKey]contract.FileHead
	changed chan struct{} // closed and replaced when a marker changes
}

// New returns an index over the heads of FILES; it works while Run does.
func New(files *bus.Table[bus.FileKey, contract.FileHead]) *Index {
	return &Index{files: files, markers: map[bus.FileKey]contract.FileHead{}, changed: make(chan struct{})}
}

// Run follows the table until ctx ends.
func (x *Index) Run(ctx context.Context) error {
	defer x.files.Observe(x.observe)()
	<-ctx.Done()
	return nil
}

// observe runs under the table's lock.
func (x *Index) observe(k bus.FileKey, _, now contract.FileHead) {
	if k.Doc != document.MarkerDoc {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.markers[k] = now
	close(x.changed)
	x.changed = make(chan struct{})
}

// Scope tells whether a view counts.
type Scope func(document.Source, document.View) bool

// Version returns the lowest version of FILES that includes all of a commit in
// every view in scope that is known to include it: those whose last comparison
// was with the commit itself, or with one that has it among the newest before.
// The commit is an id, or the beginning of one. It is 0 where no view is known
// to include it; changed is closed when that may be otherwise. The error is
// InvalidRequest for a beginning that several commits have.
func (x *Index) Version(commit string, in Scope) (v document.Version, changed <-chan struct{}, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	id := ""
	for k, m := range x.markers {
		if !in(k.Source, k.View) {
			continue
		}
		here := ""
		for _, known := range list(m) {
			if !strings.HasPrefix(known, commit) {
				continue
			}
			if id != "" && id != known {
				return 0, nil, document.Errorf(document.InvalidRequest, "several commits begin with %s, among them %s and %s: give more of the one that is meant", commit, id, known)
			}
			id, here = known, known
		}
		if here != "" {
			v = max(v, m.Version)
		}
	}
	return v, x.changed, nil
}

// list returns the commits that a marker names, its own first.
func list(m contract.FileHead) []string {
	if m.Commit == "" {
		return nil
	}
	if m.Ancestors == "" {
		return []string{m.Commit}
	}
	return append([]string{m.Commit}, strings.Split(m.Ancestors, ",")...)
}

// At lists what the views in scope that show a commit were compared with last,
// as SOURCE at COMMIT, sorted.
func (x *Index) At(in Scope) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []string
	for k, m := range x.markers {
		if m.Commit != "" && in(k.Source, k.View) {
			out = append(out, string(k.Source)+" at "+m.Commit[:min(len(m.Commit), shown)])
		}
	}
	slices.Sort(out)
	return out
}

// shown is how much of a commit's id a person needs to know it again.
const shown = 12

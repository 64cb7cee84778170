package watcher

import (
	"context"
	"sync"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// wish is what one document is to be.
type wish struct {
	path       document.Path
	delete     bool
	content    []byte
	collection document.Collection
	metadata   document.PackedMetadata
	ifVersion  *document.Version
	err        error // why it is refused without a look
}

// given is the truth of a request on documents of an API source: what it wishes
// for the paths that it names, and nothing of any other. It notes what becomes
// of each.
type given struct {
	limit  int64
	budget *scan.Budget
	// lost reports whether the log does not give the content of a head any more.
	lost   func(ctx context.Context, known contract.FileHead) (bool, error)
	wishes map[document.Path]*wish
	sight  *access.Sight // of whoever asks; nil: everything

	mu      sync.Mutex
	written map[document.Path]contract.WrittenDocument
}

func newGiven(c *comparer, wishes []wish) *given {
	g := &given{
		limit: c.origin.Limit, budget: c.origin.Budget,
		lost: func(ctx context.Context, known contract.FileHead) (bool, error) {
			_, _, lost, err := c.svc.contentLost(ctx, known.Source, contract.LostDocument{View: known.View, Path: known.Path})
			return lost, err
		},
		wishes: map[document.Path]*wish{}, written: map[document.Path]contract.WrittenDocument{},
	}
	for i := range wishes {
		w := &wishes[i]
		err := w.err
		if err == nil {
			err = document.CheckPath(w.path)
		}
		if err != nil {
			g.note(contract.WrittenDocument{Path: w.path, Error: document.Told(err)})
			continue
		}
		if w.collection == "" {
			w.collection = c.origin.Collection(w.path)
		}
		g.wishes[w.path] = w
	}
	return g
}

// scopes are the paths that the request names.
func (g *given) scopes() []scope {
	var out []scope
	for p := range g.wishes {
		out = append(out, scope{raw: p.Raw()})
	}
	return out
}

// results tells what became of each wish, in order.
func (g *given) results(wishes []wish) []contract.WrittenDocument {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]contract.WrittenDocument, len(wishes))
	for i, w := range wishes {
		out[i] = g.written[w.path]
	}
	return out
}

func (g *given) Walk(_ context.Context, raw string, emit func(scan.Candidate) error) error {
	return emit(scan.Candidate{Raw: raw})
}

// look turns a wish into a finding. It may be asked again, when somebody else
// wrote the document meanwhile.
func (g *given) Look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error) {
	f := scan.Finding{Path: document.EncodePath(c.Raw)}
	w := g.wishes[f.Path]
	f.Collection, f.Metadata, f.Size = w.collection, w.metadata, int64(len(w.content))
	if present(known) && !bus.Head(g.sight, &known) {
		return g.leave(f, contract.WrittenDocument{Path: f.Path, Error: document.Told(unseen(f.Path))}), nil
	}
	switch {
	case w.delete:
		f.Kind = scan.Gone
		if !present(known) {
			return g.unchanged(f, known), nil
		}
	default:
		var text []byte
		text, f.Reason = g.text(w)
		if f.Kind = scan.Skip; f.Reason == "" {
			f.Kind, f.Content, f.Hash = scan.Put, text, document.HashOf(text)
		}
		// A request whose reply was lost can be sent again.
		if known.Collection == f.Collection && known.Metadata == f.Metadata && (f.Kind == scan.Put && known.Op == contract.OpPut && known.Hash == f.Hash ||
			f.Kind == scan.Skip && known.Op == contract.OpSkipped && known.Reason == string(f.Reason) && known.Size == f.Size) {
			lost, err := g.lost(ctx, known)
			if err != nil {
				return f, err
			}
			if !lost {
				return g.unchanged(f, known), nil
			}
		}
	}
	if w.ifVersion != nil && *w.ifVersion != versionOf(known) {
		return g.refuse(f, known), nil
	}
	if f.Kind != scan.Put {
		return f, nil
	}
	var err error
	f.Weight, err = g.budget.Take(ctx, f.Size, park)
	return f, err
}

// versionOf is the version that a caller sees: a deleted document has none.
func versionOf(known contract.FileHead) document.Version {
	if !present(known) {
		return 0
	}
	return known.Version
}

// text returns the text of a document, and why it is not indexed, by the rules that hold
// for files. Ignore rules are for trees; who puts a document has named it.
func (g *given) text(w *wish) ([]byte, classify.Reason) {
	if rule, ok := ignore.Secret(w.path.Raw()); ok {
		return nil, classify.SecretName(rule)
	}
	if r := classify.Name(w.path); r != "" {
		return nil, r
	}
	if limit := format.Limit(w.path, g.limit); int64(len(w.content)) > limit {
		return nil, classify.TooLarge(limit)
	}
	if r := classify.Head(w.path, w.content, false); r != "" {
		return nil, r
	}
	return classify.Text(w.path, w.collection, w.content, false)
}

func (g *given) unchanged(f scan.Finding, known contract.FileHead) scan.Finding {
	out := writtenOf(known)
	out.Path, out.Unchanged = f.Path, true
	if out.Op == "" {
		out.Op = contract.OpDelete // there never was one
	}
	return g.leave(f, out)
}

func (g *given) refuse(f scan.Finding, known contract.FileHead) scan.Finding {
	w := g.wishes[f.Path]
	err := document.Errorf(document.Conflict, "%s has the version %d, not %d: read it again before you write it", f.Path, versionOf(known), *w.ifVersion)
	switch {
	case !present(known):
		err = document.Errorf(document.Conflict, "%s is not there, so it has no version %d: put it with if_version 0", f.Path, *w.ifVersion)
	case *w.ifVersion == 0:
		err = document.Errorf(document.Conflict, "%s is there already, with version %d: give that as if_version to replace it", f.Path, known.Version)
	}
	return g.leave(f, contract.WrittenDocument{Path: f.Path, Error: err})
}

// leave makes a finding that writes nothing.
func (g *given) leave(f scan.Finding, out contract.WrittenDocument) scan.Finding {
	g.note(out)
	f.Kind, f.Content = scan.Same, nil
	return f
}

func (g *given) note(out contract.WrittenDocument) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.written[out.Path] = out
}

// wrote is told of every version that was written.
func (g *given) wrote(h contract.FileHead) {
	if w := g.wishes[h.Path]; h.Doc == document.AccessDoc && w != nil {
		w.ifVersion = nil // it was held against that, and is written once more
	}
	g.note(writtenOf(h))
}

func writtenOf(h contract.FileHead) contract.WrittenDocument {
	return contract.WrittenDocument{Path: h.Path, Op: h.Op, Version: h.Version, Reason: h.Reason}
}

func (g *given) StatOnly() origin.Truth { return g }

// reachable needs no look: the request is here.
func (g *given) Reachable() error { return nil }

func (g *given) Commit() string { return "" }

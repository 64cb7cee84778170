package resolve

import (
	"context"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Settlement tells how far the log is known and the sinks have come.
type Settlement interface {
	// IsPending reports whether a document in a view is not settled in both sinks.
	IsPending(bus.FileKey) bool
	// Reach waits until the head table has seen a sequence of FILES.
	Reach(ctx context.Context, seq uint64) error
}

// Resolver holds candidates against the log. It is safe for concurrent use.
type Resolver struct {
	files      *bus.Table[bus.FileKey, contract.FileHead]
	outputs    map[document.Sink]*bus.Table[bus.OutputKey, contract.OutputHead] // CHUNKS for no sink
	reader     *Reader
	settlement Settlement
	place      func(document.Collection) document.Collection
}

// New returns a Resolver; place names the collection in which the documents of another are
// searched.
func New(b *bus.Bus, reader *Reader, settlement Settlement, place func(document.Collection) document.Collection) *Resolver {
	outputs := map[document.Sink]*bus.Table[bus.OutputKey, contract.OutputHead]{"": b.Outputs(contract.StreamChunks)}
	for _, sink := range document.Sinks {
		outputs[sink] = b.Outputs(contract.StreamIndexed)
	}
	return &Resolver{files: b.Files(), outputs: outputs, reader: reader, settlement: settlement, place: place}
}

// attempts bounds how often a new snapshot is taken because the log moved on
// while bodies were read; after that the documents concerned are left out, and
// listed as overtaken: the snapshot is of a log that has moved on since after.
const attempts = 3

// headStart is how many candidates are looked up for each passage that is to be
// shown, before all are.
const headStart = 3

// Resolve goes through the candidates, best first, until K are shown. after is a sequence
// of FILES that the answer must include; the head table has seen it.
func (r *Resolver) Resolve(ctx context.Context, all []candidate.Candidate, want Want, after uint64) (*Answer, error) {
	best := all[:min(len(all), headStart*want.K)]
	var ties map[DocKey][][]int
	if want.ByLine {
		ties = tied(all)
	}
	spare := spareTime(ctx, len(best))
	for try := 1; ; {
		s := &session{r: r, want: want, after: after, last: try == attempts, all: all, ties: ties, spare: spare}
		s.snapshot(best)
		if s.answer.Seen < after {
			return nil, fmt.Errorf("the head table has seen %d, the answer needs %d", s.answer.Seen, after)
		}
		moved, err := s.walk(ctx, best)
		switch {
		case err != nil:
			return nil, err
		case moved:
			// Another snapshot of the same heads would miss the same.
			if err := r.catchUp(ctx); err != nil {
				return nil, err
			}
			try++
		case len(s.answer.Shown) < s.wanted() && len(best) < len(all):
			if s.answer.Hasty = spare.isOver(); s.answer.Hasty {
				return &s.answer, nil
			}
			best = all // in one snapshot, so from the start again
		default:
			return &s.answer, nil
		}
	}
}

// catchUp waits until the head table has seen the log as it is now.
func (r *Resolver) catchUp(ctx context.Context) error {
	last, err := r.reader.bus.LastSeq(ctx, contract.StreamFiles)
	if err == nil {
		err = r.settlement.Reach(ctx, last)
	}
	if err != nil {
		return fmt.Errorf("wait for the log's heads: %w", err)
	}
	return nil
}

// session is one attempt: one snapshot and what was read for it.
type session struct {
	r     *Resolver
	want  Want
	after uint64
	last  bool
	all   []candidate.Candidate // whose order byLine settles
	spare spare
	ties  map[DocKey][][]int // places in all

	heads    map[bus.FileKey]contract.FileHead
	views    map[DocKey][]document.View
	bodies   map[DocKey]*Body
	before   map[DocKey]*Body // that were at hand when they were read again
	loaded   map[DocKey]bool
	contents map[document.Version][]byte // of pending documents
	covered  covered
	page     page
	copied   func(*Shown) bool
	copies   int
	answer   Answer
}

// wanted is how many passages have to be shown, so that K are without copies.
func (s *session) wanted() int { return s.want.K + s.copies }

func docOf(c *candidate.Candidate) DocKey { return KeyOf(&c.Found) }

// KeyOf is the document that a passage is of.
func KeyOf(f *candidate.Found) DocKey {
	return DocKey{f.Generation, f.Attrs.Source, f.Attrs.Doc}
}

// snapshot takes the heads of all candidates in one consistent state.
func (s *session) snapshot(all []candidate.Candidate) {
	s.views = make(map[DocKey][]document.View, len(all))
	s.bodies, s.before = map[DocKey]*Body{}, map[DocKey]*Body{}
	s.loaded = map[DocKey]bool{}
	s.contents = map[document.Version][]byte{}
	s.covered = covered{ranges: map[document.Version][]span{}, matches: s.want.Matches}
	s.page = page{limit: s.want.PerFile, named: s.want.Named}
	if s.want.Copies != nil {
		s.copied = s.want.Copies()
	}
	for i := range all {
		c := &all[i]
		k := docOf(c)
		if _, known := s.views[k]; !known {
			s.views[k] = s.viewsOf(k)
		}
		if w := c.Window; w != nil {
			s.views[k] = withView(s.views[k], w.View)
		}
	}
	s.heads = make(map[bus.FileKey]contract.FileHead, len(s.views))
	s.r.files.Read(func(seen uint64, get func(bus.FileKey) (contract.FileHead, bool)) {
		s.answer.Seen = seen
		for k, views := range s.views {
			for _, v := range views {
				key := bus.FileKey{Source: k.Source, Doc: k.Doc, View: v}
				if h, ok := get(key); ok && (s.want.May == nil || s.want.May(&h)) {
					s.heads[key] = h
				}
			}
		}
	})
}

// viewsOf returns the views in which a document may be shown. The table of
// CHUNKS may lag behind that of INDEXED, by which a document counts as settled:
// so a view that either of them covers is one.
func (s *session) viewsOf(k DocKey) []document.View {
	if len(s.want.Views) > 0 {
		return s.want.Views
	}
	var views []document.View
	for sink, table := range s.r.outputs {
		head, ok := table.Get(bus.OutputKey{Generation: k.Generation, Sink: sink, Source: k.Source, Doc: k.Doc})
		if ok {
			views = union(views, sortedViews(head.Covers))
		}
	}
	if len(views) == 0 {
		return worktreeOnly
	}
	return views
}

// walk goes through the candidates. moved means that the log has moved on and
// a new snapshot is needed.
func (s *session) walk(ctx context.Context, all []candidate.Candidate) (moved bool, err error) {
	for i := range all {
		if len(s.answer.Shown) >= s.wanted() {
			return false, nil
		}
		c := &all[i]
		if c.Final < s.want.MinScore {
			s.fate(c, Gated, "")
			continue
		}
		if s.page.passes(s.answer.Shown, mostHeld*s.want.K+s.copies, c) {
			s.fate(c, Held, "")
			continue
		}
		if !s.loaded[docOf(c)] {
			if i >= s.spare.least && !s.want.Fates && s.spare.isOver() {
				s.answer.Hasty = true
				break
			}
			if moved, err := s.load(ctx, all[i:]); moved || err != nil {
				return moved, err
			}
		}
		shown, ok := s.show(c)
		if !ok {
			s.fate(c, Dropped, "")
			s.drop(c)
			continue
		}
		if why := s.lacks(&shown); why != "" {
			s.fate(c, Filter, why)
			continue
		}
		parts := slices.DeleteFunc(s.covered.unseen(&shown), func(p Shown) bool { return s.lacks(&p) != "" })
		if len(parts) == 0 {
			s.fate(c, Dropped, "its lines are shown already, as those of a better passage")
		}
		for i := range parts {
			if s.copied != nil && s.copied(&parts[i]) {
				s.copies++
			}
			if s.answer.Shown = s.page.put(s.answer.Shown, parts[i]); s.page.holds(c.ID) {
				s.fate(c, Held, "")
			}
		}
	}
	if len(s.answer.Shown) < s.wanted() {
		s.answer.Shown = s.page.flush(s.answer.Shown)
	}
	s.answer.Held = s.page.held
	s.answer.Shown = s.answer.Shown[:min(len(s.answer.Shown), s.wanted())]
	return false, nil
}

// lacks says why a passage may not be shown for its text.
func (s *session) lacks(n *Shown) string {
	if s.want.Lacks == nil {
		return ""
	}
	return s.want.Lacks(n.Text)
}

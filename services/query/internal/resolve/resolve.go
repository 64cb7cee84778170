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

// Want is what an answer is to hold.
type Want struct {
	K        int
	MinScore float64
	Views    []document.View // empty: any
	// May reports whether whoever asks may see a document: another is not there. nil:
	// every one may be seen.
	May func(*contract.FileHead) bool
	// PerFile bounds the hits of one file among ten; Named says which files
	// the caller asked for by name, which are not bounded.
	PerFile PerFile
	Named   func(document.Path) bool
	// Pending bounds the pending documents whose contents are read.
	Pending int
	// Matches reports whether a part of a pending document's lines is what was
	// looked for, where the rest of them is shown already; nil: any is.
	Matches func(h *contract.FileHead, at *document.Span, text []byte) bool
	// Lacks says why a passage may not be shown for its text, "" where it may; nil:
	// every one may.
	Lacks func(text []byte) string
	// Copies begins to tell, of passages best first, which say the same as one
	// before them: K does not count these; nil: all count.
	Copies func() func(*Shown) bool
	// Fates asks what became of each candidate that was come to.
	Fates bool
}

// Shown is a passage that the log holds at the answer's sequence.
type Shown struct {
	Candidate candidate.Candidate
	Head      contract.FileHead // of the view that shows it
	Language  string
	Span      document.Span // its place in the content of Head
	Text      []byte        // shared, must not be changed
	// Content is what Text is a part of, at the place that Span names; nil where that is
	// not at hand.
	Content []byte
	// Part is what of a document of a format it is made of, nil for none.
	Part    *document.Part
	Pending bool   // the head is not settled in both sinks
	Copies  []Copy // that it stands for; nobody knows them yet here
}

// Copy is a passage that says the same as one that is shown.
type Copy struct {
	Head    contract.FileHead
	Span    document.Span
	Differs bool // not the same byte for byte
}

// Orphan is a passage that a sink holds and the log does not list.
type Orphan struct {
	Doc  DocKey
	ID   document.ChunkID
	Sink document.Sink
}

// Answer is what may be shown of a list of candidates.
type Answer struct {
	Seen  uint64 // the sequence of FILES that the answer holds for
	Shown []Shown
	// Held may be shown, and too many of its files stand among the ten that it
	// would be one of; best first. It may fill what is left of the answer.
	Held    []Shown
	Dropped int
	Orphans []Orphan
	// Unread are documents whose passages would be among the candidates, and
	// cannot be read in the log.
	Unread []contract.FileHead
	// Late are documents whose passages would be among the candidates, and were not
	// read in time.
	Late []contract.FileHead
	// Unsearched are pending documents of candidates whose contents were not read:
	// Want.Pending others were, or the log moved on each time, or their text is still to
	// be made.
	Unsearched []contract.FileHead
	// Overtaken are the versions, newer than the caller knew of, of documents of
	// which a candidate was left out: what such a version shows in its place is
	// not among the candidates.
	Overtaken []contract.FileHead
	// Fates says why candidates are not shown, or not where their score would
	// have them; only where it was asked for.
	Fates map[document.ChunkID]Fate
}

// Reasons for which a candidate is not shown.
const (
	Gated   = "gate"      // below the wanted score
	Dropped = "resolve"   // the log does not show it
	Held    = "diversify" // enough of its file stand among the same ten
	Filter  = "filter"    // the question leaves it out
	Folded  = "fold"      // it says the same as one that is shown
)

// Fate is one of these reasons, in words.
type Fate struct{ Stage, Why string }

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
	collection map[document.Generation]document.Collection
}

// New returns a Resolver; collections names the collection of each generation.
func New(b *bus.Bus, reader *Reader, settlement Settlement, collections map[document.Generation]document.Collection) *Resolver {
	outputs := map[document.Sink]*bus.Table[bus.OutputKey, contract.OutputHead]{"": b.Outputs(contract.StreamChunks)}
	for _, sink := range document.Sinks {
		outputs[sink] = b.Outputs(contract.StreamIndexed)
	}
	return &Resolver{files: b.Files(), outputs: outputs, reader: reader, settlement: settlement, collection: collections}
}

// attempts bounds how often a new snapshot is taken because the log moved on
// while bodies were read; after that the documents concerned are left out, and
// listed as overtaken: the snapshot is of a log that has moved on since after.
const attempts = 3

// headStart is how many candidates are looked up for each passage that is to be
// shown, before all are.
const headStart = 3

// Resolve goes through the candidates, best first, until K are shown; those of
// one document that score alike it puts into the order of their lines. after is
// a sequence of FILES that the answer must include; the head table has seen it.
func (r *Resolver) Resolve(ctx context.Context, all []candidate.Candidate, want Want, after uint64) (*Answer, error) {
	best, ties := all[:min(len(all), headStart*want.K)], tied(all)
	for try := 1; ; {
		s := &session{r: r, want: want, after: after, last: try == attempts, all: all, ties: ties}
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
	ties  map[DocKey][][]int    // places in all

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

func docOf(c *candidate.Candidate) DocKey { return keyOf(&c.Found) }

func keyOf(f *candidate.Found) DocKey {
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
		if !s.loaded[docOf(c)] {
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

// fate notes why a candidate is not shown, where that was asked for.
func (s *session) fate(c *candidate.Candidate, stage, why string) {
	if !s.want.Fates {
		return
	}
	if s.answer.Fates == nil {
		s.answer.Fates = map[document.ChunkID]Fate{}
	}
	if stage == Dropped && why == "" {
		why = s.why(c)
	}
	s.answer.Fates[c.ID] = Fate{stage, why}
}

// why says what of the log speaks against a candidate.
func (s *session) why(c *candidate.Candidate) string {
	k := docOf(c)
	why := "the log has no such document in the views that the search asks for"
	for _, v := range s.views[k] {
		h, ok := s.heads[bus.FileKey{Source: k.Source, Doc: k.Doc, View: v}]
		switch {
		case !ok:
		case h.Op == contract.OpDelete:
			why = fmt.Sprintf("the document was deleted as version %d", h.Version)
		case h.Op == contract.OpSkipped:
			why = fmt.Sprintf("since version %d the document is not indexed: %s", h.Version, h.Reason)
		case h.Collection != s.r.collection[k.Generation]:
			why = fmt.Sprintf("since version %d the document belongs to the collection %s", h.Version, h.Collection)
		case s.bodies[k].Late():
			return "the passages of the document were not read in time"
		case s.bodies[k] != nil && s.bodies[k].Unread != nil:
			return "the passages of the document cannot be read in the log, and are being made again"
		case s.bodies[k].of(&h) != nil:
			return fmt.Sprintf("it is a passage of an older version; version %d has others in its place", h.Version)
		default:
			return fmt.Sprintf("its text is not in the document any more since version %d, whose passages are still being made", h.Version)
		}
	}
	return why
}

// load reads the bodies of the next candidates' documents, and the contents of
// those that are pending.
func (s *session) load(ctx context.Context, next []candidate.Candidate) (moved bool, err error) {
	keys := s.ahead(next)
	bodies, err := s.r.reader.Chunks(ctx, keys)
	if err != nil {
		return false, err
	}
	var behind []DocKey
	for _, k := range keys {
		s.bodies[k] = bodies[k]
		if s.bodies[k].Late() {
			s.noteLate(k)
			continue
		}
		if s.lags(k) {
			behind = append(behind, k)
		}
		s.byLine(k)
	}
	if len(behind) == 0 {
		return false, nil
	}
	if moved, err := s.loadPending(ctx, behind); moved || err != nil {
		return moved, err
	}
	s.noteUnread(behind)
	return false, nil
}

// noteLate lists a document whose passages were not read in time.
func (s *session) noteLate(k DocKey) {
	s.answer.Late = append(s.answer.Late, s.lacking(k)...)
}

// noteUnread lists the documents of which the log should have the passages, and
// which cannot be read, or are not handed out though the heads name them.
func (s *session) noteUnread(keys []DocKey) {
	for _, k := range keys {
		b := s.bodies[k]
		for _, h := range s.lacking(k) {
			if b == nil && s.r.reader.Cut(k, h.Hash) || b != nil && b.Unread != nil && b.Covers.At(h.View).Hash == h.Hash {
				s.answer.Unread = append(s.answer.Unread, h)
				break
			}
		}
	}
}

// ahead returns the documents to read for the next candidates: those that are
// shown if none is dropped. Reading and decoding bodies is most of what a
// query costs the log. Once some were dropped, more may be, and another
// request costs more than a few bodies.
func (s *session) ahead(next []candidate.Candidate) []DocKey {
	need, least := s.wanted()-len(s.answer.Shown), 0
	if len(s.loaded) > 0 {
		least = 16
	}
	var keys []DocKey
	same := map[DocKey]int{}
	for i := range next {
		c := &next[i]
		if c.Final < s.want.MinScore || need <= 0 && i >= least {
			break
		}
		k := docOf(c)
		if !s.loaded[k] {
			s.loaded[k] = true
			keys = append(keys, k)
		}
		if limit := s.page.limit.Of(c.Generation); limit > 0 && same[k] >= limit && (s.page.named == nil || !s.page.named(c.Attrs.Path)) {
			continue // held back, at least for this page
		}
		same[k]++
		need--
	}
	return keys
}

// loadPending reads what the head tables may not have seen yet, and the
// contents of documents that are not chunked yet.
func (s *session) loadPending(ctx context.Context, behind []DocKey) (moved bool, err error) {
	fresh, err := s.r.reader.Fetch(ctx, behind)
	if err != nil {
		return false, err
	}
	var heads []contract.FileHead
	for _, k := range behind {
		if b := fresh[k]; b != nil {
			s.bodies[k], s.before[k] = b, s.bodies[k]
		}
		if s.bodies[k].Late() {
			s.noteLate(k)
			continue
		}
		for _, h := range s.lacking(k) {
			if s.bodies[k] != nil && s.bodies[k].Covers.At(h.View).Version > h.Version && !s.last {
				return true, nil
			}
			if len(s.contents)+len(heads) < s.want.Pending && h.Format == "" {
				heads = append(heads, h)
			} else {
				s.answer.Unsearched = append(s.answer.Unsearched, h)
			}
		}
	}
	contents, err := s.r.reader.Files(ctx, heads)
	if err != nil {
		return false, err
	}
	for _, h := range heads {
		raw, ok := contents[h.Version]
		if !ok && !s.last {
			return true, nil
		}
		if !ok {
			s.answer.Unsearched = append(s.answer.Unsearched, h)
			continue
		}
		s.contents[h.Version] = raw
	}
	return false, nil
}

// lags reports whether CHUNKS may have other passages of a document than those at
// hand: they are of an earlier version than a head, be it of one with the same
// content, which may have gone and come back since.
func (s *session) lags(k DocKey) bool {
	for _, v := range s.views[k] {
		h, ok := s.head(k, v)
		if ok && (s.bodies[k].of(&h) == nil || s.bodies[k].Covers.At(v).Version < h.Version) {
			return true
		}
	}
	return false
}

// lacking returns the heads of a document whose content CHUNKS has not got.
func (s *session) lacking(k DocKey) []contract.FileHead {
	var out []contract.FileHead
	for _, v := range s.views[k] {
		h, ok := s.head(k, v)
		if ok && s.bodies[k].of(&h) == nil {
			out = append(out, h)
		}
	}
	return out
}

// head returns the head of a view that can show passages of a generation.
func (s *session) head(k DocKey, v document.View) (contract.FileHead, bool) {
	h, ok := s.heads[bus.FileKey{Source: k.Source, Doc: k.Doc, View: v}]
	return h, ok && h.Op == contract.OpPut && h.Collection == s.r.collection[k.Generation]
}

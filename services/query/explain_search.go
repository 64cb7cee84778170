package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// Stages at which a passage is lost, beside those of package resolve.
const (
	lostFilter = resolve.Filter // the request leaves the document or the passage out
	lostIndex  = "index"        // the sinks do not show it yet, or no more
	lostRecall = "recall"       // behind the over-fetch of every channel
	lostK      = "k"            // behind the hits that were asked for
)

// progress orders the stages by how far a passage came.
var progress = []string{lostFilter, lostIndex, lostRecall, resolve.Dropped, resolve.Gated, lostK, resolve.Held, resolve.Folded, ""}

const (
	// explainDeadline is that of a search that is explained and names none: it
	// reads much more than one that is answered.
	explainDeadline = 10 * time.Second
	// deepest is how far a rank behind the over-fetch is looked for; as
	// far as Weaviate gives passages in one search.
	deepest = 10_000
	// statesListed bounds the passages of which the way is told.
	statesListed = 50
)

// searched is a search that is being explained.
type searched struct {
	run    *search
	x      *explanation
	out    *contract.SearchExplanation
	states []*wayOf
	stats  *recall.Statistics
	words  map[string]string // as typed, by term
}

// wayOf is the way of one passage.
type wayOf struct {
	contract.PassageState
	passage *passage             // nil for one that is no chunk of the newest contents
	ranked  *candidate.Candidate // nil where no channel gave it
	tokens  map[string]bool
}

// search runs a search, keeps what every stage made of it, and follows the
// document's passages through them.
func (x *explanation) search(ctx context.Context, in contract.SearchRequest) error {
	if in.DeadlineMS == 0 {
		in.DeadlineMS = int(min(explainDeadline, x.service.cfg.MaxDeadline).Milliseconds())
	}
	in.Text, in.Explain = contract.TextNone, true
	q := &searched{
		run: newSearch(ctx, x.service), x: x,
		out: &contract.SearchExplanation{Passages: []contract.PassageState{}}, words: map[string]string{},
	}
	q.run.explains, q.run.arrived = true, time.Now() // the document was looked at first
	q.run.sight = x.sight
	if err := q.run.run(ctx, in); err != nil {
		return err
	}
	x.Explanation.Search = q.out
	q.out.Hits, q.out.K, q.out.Depth, q.out.Class = len(q.run.reply.Hits), q.run.req.K, q.run.found.depth, q.run.reply.Class
	q.out.Trace, q.out.Degraded, q.out.Corrected = q.run.reply.Trace, q.run.degraded, q.run.reply.Corrected
	q.out.Actions, q.out.Understood = q.run.actions, q.run.reply.Understood
	q.gather()
	q.nameTerms(ctx)
	q.recallRanks(ctx)
	for _, w := range q.states {
		q.follow(w)
	}
	q.withhold()
	q.say(ctx)
	return nil
}

// gather collects the document's passages: those of its newest contents, and
// whatever else of it the channels gave.
func (q *searched) gather() {
	at := map[document.ChunkID]*wayOf{}
	add := func(id document.ChunkID) *wayOf {
		w := at[id]
		if w == nil {
			w = &wayOf{tokens: map[string]bool{}}
			w.ID, w.Channels = id, map[string]contract.PassageRank{}
			at[id] = w
			q.states = append(q.states, w)
		}
		return w
	}
	for i := range q.x.passages {
		p := &q.x.passages[i]
		w := add(p.ID)
		w.passage, w.StartLine, w.EndLine, w.Symbol = p, p.StartLine, p.EndLine, p.Symbol
		prose := contract.CollectionOf(p.generation).Prose()
		for _, t := range q.run.service.analyzer.Passage(q.x.in.Path, &p.Span, p.text, prose) {
			w.tokens[t] = true
		}
	}
	for i := range q.run.ranked {
		c := &q.run.ranked[i]
		if c.Attrs.Source != q.x.in.Source || c.Attrs.Doc != q.x.doc || len(q.x.heads) == 0 || at[c.ID] == nil && q.mayBeHidden(c) {
			continue
		}
		w := add(c.ID)
		w.ranked, w.Ranked, w.Score, w.Signals = c, i+1, c.Final, c.Explain()
		w.Fused = 1
		for j := range q.run.ranked {
			if q.run.ranked[j].Fused > c.Fused {
				w.Fused++
			}
		}
		if c.Window != nil {
			w.StartLine, w.EndLine = c.Window.StartLine, c.Window.EndLine
			for _, t := range q.run.service.analyzer.Passage(q.x.in.Path, &document.Span{}, c.Window.Text, false) {
				w.tokens[t] = true
			}
		}
	}
	for i := range q.run.resolved.endless {
		shown := &q.run.resolved.endless[i]
		if w := at[shown.Candidate.ID]; w != nil {
			w.Final, w.StartLine, w.EndLine = i+1, shown.Span.StartLine, shown.Span.EndLine
			w.Reranked, w.Score = shown.Candidate.Reranked.Rank, shown.Candidate.Final
		}
	}
}

// mayBeHidden reports whether a candidate that is no passage of a seen version may be one
// of a hidden version: what the seen ones do not show, as lines at least, is not told.
func (q *searched) mayBeHidden(c *candidate.Candidate) bool {
	return q.x.sight != nil && c.Window == nil &&
		!slices.ContainsFunc(q.run.resolved.endless, func(s resolve.Shown) bool { return s.Candidate.ID == c.ID })
}

// nameTerms tells what the lexical channel looks for, and what of it the document
// holds.
func (q *searched) nameTerms(ctx context.Context) {
	for word := range strings.FieldsSeq(q.run.req.Text) {
		for _, t := range q.run.service.analyzer.Query(word) {
			if q.words[t.Token] == "" {
				q.words[t.Token] = strings.Trim(word, "\"'`,;:!?()[]{}")
			}
		}
	}
	for token, word := range typedFor(q.run) {
		if q.words[token] == "" {
			q.words[token] = word
		}
	}
	q.out.Terms = []contract.TermState{}
	if st, err := recall.Count(ctx, q.run.service.stores.lexical(q.run.req.Collections), q.run.terms); err == nil {
		q.stats = st
	}
	for i, t := range q.run.terms {
		state := contract.TermState{Term: t.Token, Word: q.word(t.Token), Weight: t.Weight}
		if q.stats != nil {
			state.With = q.stats.With(i)
			if state.With == 0 && analysis.IsMarked(t.Token) {
				continue // a language that nothing is written in
			}
		}
		for _, w := range q.states {
			state.Held = state.Held || w.tokens[t.Token]
		}
		q.out.Terms = append(q.out.Terms, state)
	}
	for _, w := range q.states {
		w.Lacks = q.lacks(w)
	}
}

// word is the word as it was typed that a term comes from.
func (q *searched) word(token string) string {
	if w := q.words[token]; w != "" {
		return w
	}
	return token
}

// lacks returns the words of the query of which a passage holds no term.
func (q *searched) lacks(w *wayOf) []string {
	var order []string
	held := map[string]bool{}
	for _, t := range q.run.terms {
		word := q.word(t.Token)
		if !slices.Contains(order, word) {
			order = append(order, word)
		}
		held[word] = held[word] || w.tokens[t.Token]
	}
	return slices.DeleteFunc(order, func(word string) bool { return held[word] })
}

// filtered says which part of the request leaves a passage out, "" for none.
func (q *searched) filtered(w *wayOf) string {
	r := q.run.req
	heads := q.x.heads
	if w.passage != nil {
		heads = slices.DeleteFunc(slices.Clone(heads), func(h contract.FileHead) bool { return !slices.Contains(w.passage.views, h.View) })
	}
	switch {
	case q.run.nothing:
		return "no source is watched"
	case len(q.run.sources) > 0 && !slices.Contains(q.run.sources, q.x.in.Source):
		if len(r.Sources) > 0 {
			return "the search is for the source " + strings.Join(names(r.Sources), ", ")
		}
		return "its source is not watched, and the search does not name it"
	case !r.Paths.Match(q.x.in.Path):
		return "it matches none of the search's paths"
	case r.Left.Path(q.x.in.Path) || slices.Contains(r.Left.Sources, q.x.in.Source):
		return "the search leaves it out by its path or its source"
	case len(heads) > 0 && !slices.ContainsFunc(heads, func(h contract.FileHead) bool { return r.Described(h.Metadata) }):
		return "the search leaves it out by its metadata"
	case len(r.Views) > 0 && !slices.ContainsFunc(heads, func(h contract.FileHead) bool { return slices.Contains(r.Views, h.View) }):
		return "the search is for the view " + strings.Join(names(r.Views), ", ")
	case !slices.ContainsFunc(heads, func(h contract.FileHead) bool {
		return h.Collection == "" || slices.Contains(r.Collections, q.run.service.stores.Place(h.Collection))
	}) && len(heads) > 0:
		return "the search is for the collection " + strings.Join(names(r.Collections), ", ")
	}
	var language, kind string
	switch {
	case w.passage != nil:
		language, kind = w.passage.language, w.passage.Kind
	case w.ranked != nil:
		language, kind = w.ranked.Attrs.Language, w.ranked.Attrs.Kind
	default:
		return ""
	}
	if r.Left.Passage(&store.Attrs{Source: q.x.in.Source, Path: q.x.in.Path, Language: language, Kind: kind}) {
		return "the search leaves out " + orNone(language) + " or " + orNone(kind)
	}
	switch {
	case len(r.Languages) > 0 && !slices.Contains(r.Languages, language):
		return "the search is for the language " + strings.Join(r.Languages, ", ") + ", and it is " + orNone(language)
	case len(r.Kinds) > 0 && !slices.Contains(r.Kinds, kind):
		return "the search is for the kind " + strings.Join(r.Kinds, ", ") + ", and it is a " + orNone(kind)
	}
	return ""
}

func orNone(text string) string {
	if text == "" {
		return "of none that is known"
	}
	return text
}

// off reports whether a channel was not asked at all.
func (q *searched) off(sink document.Sink) bool {
	if sink == document.Lexical {
		return q.run.req.Off(request.OffLexical) || q.run.found.lexicalDown || len(q.run.terms) == 0
	}
	return q.run.req.Off(request.OffVector) || q.run.found.vectorDown || q.run.found.silent
}

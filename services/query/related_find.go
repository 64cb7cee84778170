package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/keyword"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/related"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

const (
	// mostUsed and mostDefined bound the names of a passage that are looked for, each by
	// one question to the lexical stores.
	mostUsed, mostDefined = 24, 8
	// mostAlike is how many definitions of one name may be as sure as each other: of
	// more nobody knows which is meant. mostRead is in how many documents they may stand
	// for being looked at at all: some may have gone.
	mostAlike, mostRead = 3, 16
	// nearlyAsSure is the share of what the surest definition of a name is from which
	// another counts as much.
	nearlyAsSure = .9
	// mostNear is how much of a passage its vector is made of, in bytes.
	mostNear = 16 << 10
)

// relatives are the passages that were found, each with how it is related.
type relatives struct {
	byID  map[document.ChunkID]*relative
	order []*relative
}

type relative struct {
	found candidate.Found
	why   []contract.Relation
	sure  map[string]float64 // by relation
	from  candidate.Candidate
}

// add notes that a passage is related in some way.
func (r *relatives) add(f candidate.Found, relation, name string, sure float64) *relative {
	one := r.byID[f.ID]
	if one == nil {
		one = &relative{found: f, sure: map[string]float64{}}
		r.byID[f.ID] = one
		r.order = append(r.order, one)
	}
	if !slices.Contains(one.why, contract.Relation{Relation: relation, Name: name}) {
		one.why = append(one.why, contract.Relation{Relation: relation, Name: name})
	}
	one.sure[relation] = max(one.sure[relation], sure)
	return one
}

// relate is the stage that looks for what is related: by names in the lexical stores and
// in the documents that these do not show yet, and by the vector.
func (r *relating) relate(ctx context.Context, q *search) (report, error) {
	r.found = &relatives{byID: map[document.ChunkID]*relative{}}
	byName := r.wants(contract.RelatedCalls) || r.wants(contract.RelatedCalledBy) || r.wants(contract.RelatedTests)
	near := r.wants(contract.RelatedNear)
	var asked, failed int
	var last error
	for _, channel := range []struct {
		wanted bool
		sink   document.Sink
		do     func(context.Context, *search) error
	}{{byName, document.Lexical, r.byNames}, {near, document.Vector, r.byVector}} {
		if !channel.wanted {
			continue
		}
		asked++
		if err := channel.do(ctx, q); err != nil {
			failed++
			last = err
			doubt(q.service, channel.sink)
			o := outcome{stage: "related." + string(channel.sink), trouble: err}
			q.degradeOnce(string(channel.sink) + ": " + trouble(q, &o))
		}
	}
	if failed == asked && hurried(ctx) {
		return report{}, context.DeadlineExceeded
	}
	if failed == asked {
		return report{}, document.Errorf(document.Unavailable, "no index answers (%w)", last).Do(document.DoStatusShow)
	}
	r.rankFound(q)
	return report{in: len(r.names), out: len(q.ranked)}, nil
}

// byNames looks for the definitions of names that the passage uses, and for the uses of
// those that it defines.
func (r *relating) byNames(ctx context.Context, q *search) error {
	used := related.Used(r.text, r.of.Attrs.Language, r.names, mostUsed)
	names := r.names[:min(len(r.names), mostDefined)]
	if err := r.searchPending(ctx, q, slices.Concat(used, names)); err != nil {
		return err
	}
	if r.wants(contract.RelatedCalls) {
		for _, name := range used {
			if err := r.definitions(ctx, q, name); err != nil {
				return err
			}
		}
	}
	if r.wants(contract.RelatedCalledBy) || r.wants(contract.RelatedTests) {
		for _, name := range names {
			if err := r.uses(ctx, q, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// searchPending looks for names in the documents that the lexical stores do not show yet.
func (r *relating) searchPending(ctx context.Context, q *search, names []string) error {
	if q.found.asked {
		return nil
	}
	q.found.asked = true
	q.terms = nil
	known := map[string]bool{}
	for _, name := range names {
		for _, token := range q.service.analyzer.Within(rank.LastPart(name)) {
			if !known[token] {
				known[token] = true
				q.terms = append(q.terms, store.Term{Token: token, Weight: 1})
			}
		}
	}
	var err error
	q.found.pending, err = q.service.plain.Search(ctx, q.lagging(), q.terms, keyword.Flat{}, q.req.Keep, q.req.KeepsLines)
	return err
}

// holding are the passages that have all words of a name: of the lexical stores, and of
// the documents that these do not show yet.
func (r *relating) holding(ctx context.Context, q *search, name string) ([]candidate.Found, error) {
	held, err := holdAll(ctx, q, q.service.analyzer.Within(name), q.keep())
	if err != nil {
		return nil, err
	}
	all := append(held.Found, q.found.pending.Found...)
	return slices.DeleteFunc(all, func(f candidate.Found) bool { return r.isOf(&f) }), nil
}

// definitions adds the passages that define a name which the passage uses.
func (r *relating) definitions(ctx context.Context, q *search, used string) error {
	held, err := r.holding(ctx, q, rank.LastPart(used))
	if err != nil {
		return err
	}
	for i := range held {
		if w := held[i].Window; w != nil && related.Line(excerpt.Lines(w.Text), language.OfPath(held[i].Attrs.Path), rank.LastPart(used)) >= 0 {
			delete(q.found.pending.Searched, w.Version) // what it defines nobody knows before it is cut
		}
	}
	sure := func(f *candidate.Found) float64 { return related.Defines(used, &r.of.Attrs, &f.Attrs) }
	held = slices.DeleteFunc(held, func(f candidate.Found) bool { return sure(&f) == 0 })
	slices.SortStableFunc(held, func(a, b candidate.Found) int { return cmp.Compare(sure(&b), sure(&a)) })
	for len(held) > 0 {
		alike := held
		if i := slices.IndexFunc(held, func(f candidate.Found) bool { return sure(&f) < nearlyAsSure*sure(&held[0]) }); i >= 0 {
			alike = held[:i]
		}
		if documents(alike) > mostRead {
			return nil // nobody knows which of them
		}
		known, err := r.oneOfEach(ctx, q, used, alike)
		if err != nil || len(known) > mostAlike {
			return err
		}
		for i := range known {
			r.found.add(known[i], contract.RelatedCalls, used, sure(&known[i]))
		}
		if len(known) > 0 {
			return nil
		}
		held = held[len(alike):] // all of these have gone
	}
	return nil
}

// documents counts those that passages are of.
func documents(held []candidate.Found) int {
	of := map[resolve.DocKey]bool{}
	for i := range held {
		of[resolve.KeyOf(&held[i])] = true
	}
	return len(of)
}

// oneOfEach leaves of the passages that define a name those that the log still has, and
// of several that are parts of one definition the one at whose head the name stands.
func (r *relating) oneOfEach(ctx context.Context, q *search, used string, held []candidate.Found) ([]candidate.Found, error) {
	const part, head = 1, 2
	graded, err := q.service.reader.GradedBy(ctx, held, func(_ *candidate.Found, span *document.Span, _ []byte) float64 {
		switch {
		case span == nil:
			return 0
		case isLater(span):
			return part
		}
		return head
	})
	if errors.Is(err, resolve.ErrLate) {
		q.degradeOnce("not every passage was read in time for " + used + ", so that there may be another definition than is shown")
	} else if err != nil {
		return nil, fmt.Errorf("read the definitions of a name: %w", err)
	}
	known := map[store.Attrs]bool{}
	return slices.DeleteFunc(graded, func(f candidate.Found) bool {
		again := known[f.Attrs]
		known[f.Attrs] = true
		return again
	}), nil
}

// uses adds the passages that use a name which the passage defines.
func (r *relating) uses(ctx context.Context, q *search, symbol string) error {
	use := related.NewUse(symbol, r.of.Attrs)
	held, err := r.holding(ctx, q, use.Last())
	if err != nil {
		return err
	}
	name := rank.NewName(use.Last())
	others := false
	graded, err := q.service.reader.GradedBy(ctx, held, func(f *candidate.Found, span *document.Span, text []byte) float64 {
		if span != nil && name.DefinedBy(&f.Attrs) > 0 {
			again := slices.Contains(strings.Split(f.Attrs.Symbol, "\n"), symbol)
			others = others || !again || f.Attrs.Source != r.of.Attrs.Source || f.Attrs.Doc != r.of.Attrs.Doc
			if again {
				return 0 // the same name again, a later part of it or another one
			}
		}
		return use.In(&f.Attrs, text)
	})
	if errors.Is(err, resolve.ErrLate) {
		q.degradeOnce("not every passage was read in time for " + symbol + ", so that there may be more uses than are shown")
	} else if err != nil {
		return fmt.Errorf("read the uses of a name: %w", err)
	}
	for i := range graded {
		f := graded[i]
		if others && f.Score < related.Sure {
			break
		}
		relation := contract.RelatedCalledBy
		if rank.IsTest(f.Attrs.Path) {
			relation = contract.RelatedTests
		}
		if r.wants(relation) {
			r.found.add(f, relation, symbol, f.Score)
		}
	}
	return nil
}

// byVector adds the passages of other documents whose vectors are nearest to that of the
// passage.
func (r *relating) byVector(ctx context.Context, q *search) error {
	text := strings.ToValidUTF8(string(r.text[:min(len(r.text), mostNear)]), "")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	about := q.service.near(ctx, text, q.req.Collections)
	if len(about.by) == 0 {
		return about.down
	}
	keep := q.keep()
	depth := 4*r.limit + len(r.names) + 16 // passages of its own document are among them
	found, err := recall.VectorChannel(q.service.stores.vector(q.req.Collections), q.knownStores(document.Vector), about.by).Search(ctx, q.filter(), depth, func(a *store.Attrs) bool {
		return (keep == nil || keep(a)) && (a.Source != r.of.Attrs.Source || a.Doc != r.of.Attrs.Doc)
	})
	if err != nil {
		return err
	}
	for i, f := range found.Found {
		one := r.found.add(f, contract.RelatedNear, "", f.Score)
		one.from.Vector = contract.Channel{Rank: i + 1, Score: f.Score}
	}
	if about.down != nil {
		q.degradeOnce("vector: " + trouble(q, &outcome{stage: "related.vector", trouble: about.down}))
	}
	return nil
}

// rankFound puts what was found into one order behind the passage itself: by the first
// of its relations, and the surest first.
func (r *relating) rankFound(q *search) {
	for _, one := range r.found.order {
		slices.SortStableFunc(one.why, func(a, b contract.Relation) int { return cmp.Compare(orderOf(a), orderOf(b)) })
	}
	slices.SortStableFunc(r.found.order, func(a, b *relative) int {
		first := a.why[0]
		return cmp.Or(cmp.Compare(orderOf(first), orderOf(b.why[0])), cmp.Compare(b.sure[first.Relation], a.sure[first.Relation]))
	})
	q.ranked = []candidate.Candidate{{Found: r.of, Final: 2, Pending: contract.Channel{Rank: 1}}} // it is read out of the log
	of := map[string]int{}
	for _, one := range r.found.order {
		relation := one.why[0].Relation
		if of[relation]++; of[relation] > relatedHeadStart*r.limit {
			continue
		}
		c := one.from
		c.Found, c.Final = one.found, one.sure[relation]
		if c.Vector.Rank == 0 && c.Window == nil {
			c.Lexical = contract.Channel{Rank: of[relation], Score: c.Final}
		}
		q.ranked = append(q.ranked, c)
	}
}

// partsEach is how many parts of each passage are shown at most, on average, where lines
// lie around passages that are shown.
const partsEach = 2

// usedIn reports whether a text uses a name that the passage defines.
func (r *relating) usedIn(name string, by *store.Attrs, text []byte) bool {
	use := related.NewUse(name, r.of.Attrs)
	return use.In(by, text) > 0
}

// relatedHeadStart is how many passages are held against the log for each that is shown.
const relatedHeadStart = 3

func orderOf(w contract.Relation) int { return slices.Index(contract.Relations, w.Relation) }

// resolve is the stage that leaves of it what the log shows.
func (r *relating) resolve(ctx context.Context, q *search) (report, error) {
	want := resolve.Want{
		K: partsEach * len(q.ranked), Views: q.req.Views, May: wanted(q).May, Pending: q.service.cfg.PendingDocuments,
		Matches: func(h *contract.FileHead, _ *document.Span, text []byte) bool {
			return slices.ContainsFunc(r.names, func(name string) bool { return r.usedIn(name, &store.Attrs{Source: h.Source, Path: h.Path}, text) })
		},
	}
	if q.sight != nil {
		// What relates a passage is told, and was found by what the earlier version says of it.
		want.Bare = func(*candidate.Candidate, *contract.FileHead, *document.Span, []byte) bool { return false }
	}
	answer, err := q.service.resolver.Resolve(ctx, q.ranked, want, q.last)
	if err != nil {
		return report{}, fmt.Errorf("hold the answer against the log: %w", err)
	}
	q.resolved.Answer = answer
	return report{in: len(q.ranked), out: len(answer.Shown), note: note(answer.Dropped > 0, "%d dropped", answer.Dropped)}, nil
}

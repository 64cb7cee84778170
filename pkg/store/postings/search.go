package postings

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// window is the number of rows that are scored at a time: their sums stay in
// the first-level cache.
const window = 2048

// scratch is the memory that a search needs.
type scratch struct {
	scores  [window]float64
	touched [window / 64]uint64
}

type scratchPool struct{ pool sync.Pool }

func (p *scratchPool) get() *scratch {
	if s, ok := p.pool.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

// put takes back a scratch that is all zero again.
func (p *scratchPool) put(s *scratch) { p.pool.Put(s) }

// Search implements store.Lexical. A term that stands twice counts with the
// sum of its weights, which are finite and not negative. With k < 1 there are
// no hits.
func (s *Store) Search(ctx context.Context, terms []store.Term, filter store.Filter, k int) ([]store.Hit, error) {
	view, err := s.View()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	terms, err = store.Distinct(terms)
	if err != nil || k < 1 || len(terms) == 0 {
		return nil, err
	}
	lists, weigher := collect(view, terms)
	top := segment.NewTopK(k)
	scratch := s.scratch.get()
	for i, part := range view.Parts {
		if err = ctx.Err(); err != nil {
			break
		}
		switch {
		case len(lists[i]) == 0:
		case weigher.required > 0:
			weigher.meet(part, lists[i], segment.NewMatcher(part.Rows, filter), top)
		default:
			weigher.scan(part, lists[i], segment.NewMatcher(part.Rows, filter), top, scratch)
		}
	}
	s.scratch.put(scratch)
	if err != nil {
		return nil, err
	}
	return top.Hits(), nil
}

// list is the posting list of a query's term in one part.
type list struct {
	posting
	term     int
	required bool
	done     bool
}

// weigher holds what BM25 needs beside a row's own figures.
type weigher struct {
	factors []float64 // by term: weight · idf · (K1 + 1)
	// required is how many terms a row must hold.
	required int
	fixed    float64 // K1 · (1 − B)
	perLen   float64 // K1 · B / avglen
}

// collect looks the terms up in every part, takes the statistics over the
// whole view, and returns the lists of each part.
func collect(view *segment.View[*inverted], terms []store.Term) ([][]list, *weigher) {
	lists, counts, length := lookup(view, terms)
	w := &weigher{factors: make([]float64, len(terms)), fixed: store.K1 * (1 - store.B)}
	if length > 0 {
		w.perLen = store.K1 * store.B * float64(counts.Chunks) / float64(length)
	}
	for t, term := range terms {
		w.factors[t] = term.Weight * counts.IDF(t) * (store.K1 + 1)
		if term.Required {
			w.required++
		}
	}
	return lists, w
}

// Counts implements store.Lexical.
func (s *Store) Counts(ctx context.Context, tokens []string) (store.Counts, error) {
	view, err := s.View()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return store.Counts{}, err
	}
	terms := make([]store.Term, len(tokens))
	for i, token := range tokens {
		terms[i].Token = token
	}
	_, counts, _ := lookup(view, terms)
	return counts, nil
}

// Beginning implements store.Lexical.
func (s *Store) Beginning(ctx context.Context, prefix string, limit int) ([]string, error) {
	view, err := s.View()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	limit = min(limit, store.MaxBeginning)
	var terms []string
	for _, part := range view.Parts {
		terms = append(terms, part.Payload.beginning([]byte(prefix), limit)...)
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	return terms[:min(len(terms), limit)], nil
}

// lookup returns the lists of each part, and the statistics over the whole
// view: live rows with any token and with each term, and tokens in all.
func lookup(view *segment.View[*inverted], terms []store.Term) (lists [][]list, counts store.Counts, length uint64) {
	lists = make([][]list, len(view.Parts))
	with := make([]int, len(terms))
	filled := 0
	for i, part := range view.Parts {
		filled += part.Filled
		length += part.Length
		for t, term := range terms {
			data, df := part.Payload.lookup([]byte(term.Token))
			if df == 0 {
				continue
			}
			l := list{posting: openList(data, df), term: t, required: term.Required}
			lists[i] = append(lists[i], l)
			with[t] += df
			if part.Dead.Count() > 0 {
				for p, more := l.posting, true; more; more = p.next() {
					if part.Dead.Has(p.row) {
						with[t]--
					}
				}
			}
		}
	}
	return lists, store.Counts{Chunks: filled, With: with}, length
}

// scan scores the rows of a part window by window, term by term within one,
// and offers those that are live and match.
func (w *weigher) scan(part *segment.Part[*inverted], lists []list, matcher *segment.Matcher, top *segment.TopK, s *scratch) {
	for {
		base, found := uint32(math.MaxUint32), false
		for i := range lists {
			if !lists[i].done {
				base, found = min(base, lists[i].row), true
			}
		}
		if !found {
			return
		}
		base -= base % window
		for i := range lists {
			if l := &lists[i]; !l.done && l.row-base < window {
				l.done = !w.add(&l.posting, w.factors[l.term], part.Payload.lengths, base, s)
			}
		}
		for i, word := range s.touched {
			s.touched[i] = 0
			for ; word != 0; word &= word - 1 {
				at := i<<6 | bits.TrailingZeros64(word)
				score, row := s.scores[at], base+uint32(at)
				s.scores[at] = 0
				if top.Wants(score) && !part.Dead.Has(row) && matcher.Match(row) {
					top.Offer(score, part.Rows, row)
				}
			}
		}
	}
}

// add adds a term's share to the rows of one window; false at the list's end.
func (w *weigher) add(l *posting, factor float64, lengths []byte, base uint32, s *scratch) bool {
	p := *l
	fixed, perLen := w.fixed, w.perLen
	for {
		at := p.row - base
		if at >= window {
			*l = p
			return true
		}
		tf := float64(p.tf)
		s.scores[at] += factor * tf / (tf + fixed + perLen*float64(segment.Uint32At(lengths, p.row)))
		s.touched[at>>6] |= 1 << (at & 63)
		if !p.next() {
			return false
		}
	}
}

// Package replay puts what a search recalled into order again, as the search does, without
// a service: for whoever tries weights and trains models.
package replay

import (
	"cmp"
	"slices"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/learned"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// Replay is what a search recalled, to be put into order with other weights
// without asking again. It is safe for concurrent use.
type Replay struct {
	query      *rank.Query
	lists      rank.Lists
	priorities Priorities
	at         map[document.ChunkID]int
}

// New takes the hits of a search that gave all of its candidates: one
// that asked for as many hits as it may, without the stages signals and
// diversify. Of each channel the first depth are used, as in a search with that
// over-fetch and these priorities.
func New(text string, hits []contract.Hit, depth int, analyzer *analysis.Analyzer, priorities Priorities) *Replay {
	r := &Replay{query: rank.NewQuery(text, analyzer), priorities: priorities, at: make(map[document.ChunkID]int, len(hits))}
	for i := range hits {
		r.at[hits[i].ID] = i
	}
	r.lists = rank.Lists{
		Lexical: recalledBy(hits, "lexical", depth), Vector: recalledBy(hits, "vector", depth), Pending: recalledBy(hits, "pending", depth),
	}
	return r
}

// recalledBy returns what a channel gave, in its order.
func recalledBy(hits []contract.Hit, channel string, depth int) []candidate.Found {
	var in []*contract.Hit
	for i := range hits {
		if rank := hits[i].Channels[channel].Rank; rank > 0 && rank <= depth {
			in = append(in, &hits[i])
		}
	}
	slices.SortFunc(in, func(a, b *contract.Hit) int { return cmp.Compare(a.Channels[channel].Rank, b.Channels[channel].Rank) })
	out := make([]candidate.Found, len(in))
	for i, h := range in {
		var span document.Span
		span.Symbol, span.Names = h.Indexed()
		out[i] = candidate.Found{ID: h.ID, Generation: someOf(h.Collection), Metadata: h.Metadata.Packed(), Score: h.Channels[channel].Score, Attrs: store.Attrs{
			Source: h.Source, Doc: document.DocOf(h.Path), Path: h.Path, Language: h.Language, Kind: h.Kind, Symbol: span.Defines(),
		}}
	}
	return out
}

// someOf stands for whichever generation of the collection a hit is of.
func someOf(c document.Collection) document.Generation {
	return document.Generation(c) + "-"
}

// Class is what the query was taken for.
func (r *Replay) Class() string { return string(r.query.Class) }

// order is what a search with these weights would rank.
func (r *Replay) order(w *config.Ranking) []candidate.Candidate {
	all := rank.Fuse(r.lists, r.query.Class, w)
	rank.Signals(all, r.query, w, r.priorities, false)
	return all
}

// Best returns the first n candidates that a search with these weights has, best
// first: their places in the hits that the Replay was made of, and what a learned
// reranker sees of each, by the names of Features.
func (r *Replay) Best(w *config.Ranking, n int) (places []int, rows [][]float64) {
	all := r.order(w)
	rows = learned.Rows(all, n, r.query)
	for i := range rows {
		places = append(places, r.at[all[i].ID])
	}
	return places, rows
}

// First returns the places, in the hits that the Replay was made of, of the
// first ten hits that a search with these weights would show, with at most
// perFile of one file; m is the learned reranker that it has, nil for none.
func (r *Replay) First(w *config.Ranking, perFile PerFile, m *Reranker) []int {
	all := r.order(w)
	if m != nil {
		m.Rerank(all, r.query)
		slices.SortStableFunc(all, func(a, b candidate.Candidate) int { return rank.ExactFirst(&a, &b) })
	}
	type file struct {
		source document.Source
		doc    document.DocID
	}
	same := map[file]int{}
	out := make([]int, 0, 10)
	for i := range all {
		f := file{all[i].Attrs.Source, all[i].Attrs.Doc}
		if same[f] == perFile.Of(all[i].Generation) {
			continue
		}
		same[f]++
		if out = append(out, r.at[all[i].ID]); len(out) == cap(out) {
			break
		}
	}
	return out
}

package query

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// recallRanks finds the rank of every passage in every channel. Where the
// search did not come upon it, the store is asked for the document alone,
// which gives its scores, and then deeper and deeper, until they are met.
func (q *searched) recallRanks(ctx context.Context) {
	if q.run.nothing {
		return
	}
	lexical, pending := q.run.found.words()
	q.listRanks("lexical", lexical, true)
	q.listRanks("vector", q.run.found.vector.Found, true)
	q.listRanks("pending", pending, true)
	if !q.off(document.Lexical) && q.stats != nil {
		q.deepen(ctx, "lexical", recall.LexicalChannel(q.run.service.stores.lexical(q.run.req.Collections), q.run.knownStores(document.Lexical), q.run.terms, q.stats), q.run.found.lexical.More)
	}
	if !q.off(document.Vector) {
		q.deepen(ctx, "vector", recall.VectorChannel(q.run.service.stores.vector(q.run.req.Collections), q.run.knownStores(document.Vector), q.run.found.near.by), q.run.found.vector.More)
	}
}

// listRanks notes the ranks that a list gives; fetched says that the search
// worked with it.
func (q *searched) listRanks(channel string, list []candidate.Found, fetched bool) {
	at := make(map[document.ChunkID]int, len(list))
	for i := range list {
		at[list[i].ID] = i + 1
	}
	for _, w := range q.states {
		rank := at[w.ID]
		if was := w.Channels[channel]; rank > 0 && !was.Fetched {
			w.Channels[channel] = contract.PassageRank{Rank: rank, Score: list[rank-1].Score, Fetched: fetched}
		}
	}
}

// deepen looks for the ranks behind the over-fetch.
func (q *searched) deepen(ctx context.Context, name string, c recall.Channel, more bool) {
	only := store.Filter{Sources: []document.Source{q.x.in.Source}, Dirs: []string{string(q.x.in.Path)}}
	alone, err := c.Search(ctx, only, deepest, func(a *store.Attrs) bool { return a.Doc == q.x.doc })
	if err != nil {
		q.out.Degraded = append(q.out.Degraded, name+": ranks behind the over-fetch are not known: "+err.Error())
		return
	}
	scores := map[document.ChunkID]float64{}
	for _, f := range alone.Found {
		scores[f.ID] = f.Score
	}
	open := func() (n int) {
		for _, w := range q.states {
			if _, scored := scores[w.ID]; scored && w.Channels[name].Rank == 0 {
				n++
			}
		}
		return n
	}
	filter := q.run.filter()
	depth := q.run.found.depth
	for more && open() > 0 && depth < deepest {
		depth = min(8*depth, deepest)
		r, err := c.Search(ctx, filter, depth, q.run.keep())
		if err != nil {
			q.out.Degraded = append(q.out.Degraded, name+": ranks behind the over-fetch are not known: "+err.Error())
			break
		}
		q.listRanks(name, r.Found, false)
		more = r.More
	}
	beyond := 0 // where nothing more comes, the search's filter leaves it out
	if more {
		beyond = depth
	}
	for _, w := range q.states {
		if score, ok := scores[w.ID]; ok && w.Channels[name].Rank == 0 {
			w.Channels[name] = contract.PassageRank{Score: score, Beyond: beyond}
		}
	}
}

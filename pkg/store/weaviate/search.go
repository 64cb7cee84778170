package weaviate

import (
	"context"
	"slices"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
)

const (
	// maxResults is the most that a server gives at once (its default of
	// QUERY_MAXIMUM_RESULTS), so the most that a search brings.
	maxResults = 10_000
	// One hit more than asked for shows whether the last ones score alike.
	// Where they do, tieFactor times as many are fetched until one scores
	// less: the server does not say which of its ties it leaves out.
	tieFactor = 4
)

// Search implements store.Vector. The zero query finds nothing, and with
// k < 1 there are no hits; there are never more than 10,000.
func (s *Store) Search(ctx context.Context, query embed.Vector, filter store.Filter, k int) ([]store.Hit, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if query.IsZero() || k < 1 {
		return nil, nil
	}
	if err := s.fits(query); err != nil {
		return nil, err
	}
	k = min(k, maxResults)
	for limit := k + 1; ; limit *= tieFactor {
		limit = min(limit, maxResults)
		hits, err := s.nearest(ctx, query, filter, limit)
		if err != nil {
			return nil, err
		}
		if len(hits) == limit && limit < maxResults && hits[k-1].Score == hits[limit-1].Score {
			continue
		}
		slices.SortFunc(hits, func(a, b store.Hit) int { return a.Compare(&b) })
		return hits[:min(k, len(hits))], nil
	}
}

func (s *Store) nearest(ctx context.Context, query embed.Vector, filter store.Filter, limit int) ([]store.Hit, error) {
	near := new(graphql.NearVectorArgumentBuilder).WithVector(values(query))
	get := s.api.graphql.Get().WithNearVector(near).WithWhere(where(filter)).WithLimit(limit)
	rows, err := s.list(ctx, "search", get, append(fields(shown...), additional("id", "distance")))
	if err != nil {
		return nil, err
	}
	hits := make([]store.Hit, len(rows))
	for i, r := range rows {
		h, err := r.hit()
		if err != nil {
			return nil, s.address.notWeaviate("a hit cannot be read (%w)", err)
		}
		hits[i] = h
	}
	return hits, nil
}

func (r row) hit() (store.Hit, error) {
	id, err := r.id()
	return store.Hit{
		ID:    id,
		Score: -r.distance(), // the server's distance is the negative dot product
		Attrs: store.Attrs{
			Source: document.Source(r.text(propSource)), Doc: document.DocID(r.text(propDoc)), Path: document.Path(r.text(propPath)),
			Language: r.text(propLanguage), Kind: r.text(propKind), Symbol: r.text(propSymbol),
		},
	}, err
}

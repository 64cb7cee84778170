package weaviate

import (
	"context"
	"iter"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// pageObjects are listed by one request.
const pageObjects = 1000

// IDs implements store.Store. Objects come in the order of their ids.
func (s *Store) IDs(ctx context.Context, scope store.Scope) iter.Seq2[store.Ref, error] {
	return func(yield func(store.Ref, error) bool) {
		if err := s.ready(ctx); err != nil {
			yield(store.Ref{}, err)
			return
		}
		last := ""
		for {
			page, err := s.page(ctx, scope, last)
			if err != nil {
				yield(store.Ref{}, err)
				return
			}
			for _, ref := range page {
				if last = ref.ID.String(); last != markID && !yield(ref, nil) {
					return
				}
			}
			if len(page) < pageObjects {
				return
			}
		}
	}
}

// page lists the objects after an id, the empty one being before all.
func (s *Store) page(ctx context.Context, scope store.Scope, after string) ([]store.Ref, error) {
	get := s.api.graphql.Get().WithLimit(pageObjects)
	if scope == (store.Scope{}) {
		get = get.WithAfter(after)
	} else {
		// A cursor cannot be filtered. A document has few passages, so that
		// sorting them costs little.
		operands := []*filters.WhereBuilder{anyOf(docTerm(scope.Source, scope.Doc))}
		if after != "" {
			operands = append(operands, filters.Where().WithPath([]string{"id"}).WithOperator(filters.GreaterThan).WithValueText(after))
		}
		get = get.WithWhere(allOf(operands...)).WithSort(graphql.Sort{Path: []string{"_id"}, Order: graphql.Asc})
	}
	rows, err := s.list(ctx, "list", get, append(fields(propSource, propDoc), additional("id")))
	if err != nil {
		return nil, err
	}
	refs := make([]store.Ref, len(rows))
	for i, r := range rows {
		id, err := r.id()
		if err != nil {
			return nil, s.address.notWeaviate("an object's id cannot be read (%w)", err)
		}
		refs[i] = store.Ref{ID: id, Source: document.Source(r.text(propSource)), Doc: document.DocID(r.text(propDoc))}
	}
	return refs, nil
}

// Count implements store.Store. It leaves out the mark by asking for it: with a
// filter the server would read every object (0.4 s at 20,000 instead of 2 ms).
func (s *Store) Count(ctx context.Context) (int, error) {
	if err := s.ready(ctx); err != nil {
		return 0, err
	}
	answer, err := s.api.graphql.Aggregate().WithClassName(s.class).
		WithFields(graphql.Field{Name: "meta", Fields: fields("count")}).Do(ctx)
	rows, err := s.rows(ctx, "count", "Aggregate", answer, err)
	if err != nil {
		return 0, err
	}
	if len(rows) != 1 {
		return 0, s.address.notWeaviate("it counts %d times", len(rows))
	}
	meta, _ := rows[0]["meta"].(map[string]any)
	n, ok := meta["count"].(float64)
	if !ok {
		return 0, s.address.notWeaviate("it does not count")
	}
	mark, err := s.markObject(ctx)
	if err == nil && mark != nil {
		n--
	}
	return int(n), err
}

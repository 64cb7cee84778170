package elastic

import (
	"context"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/store"
)

// Counts implements store.Lexical. It counts what is there; the server's own
// weights still count a deleted chunk until its segment is merged.
func (s *Store) Counts(ctx context.Context, tokens []string) (store.Counts, error) {
	filters := make([]object, 0, len(tokens)+1)
	filters = append(filters, exists(fieldText))
	for _, t := range tokens {
		filters = append(filters, object{"term": object{fieldText: t}})
	}
	var answer struct {
		Aggregations struct {
			With struct {
				Buckets []struct {
					Count int `json:"doc_count"`
				} `json:"buckets"`
			} `json:"with"`
		} `json:"aggregations"`
	}
	whole := false
	err := s.call(ctx, esapi.SearchRequest{
		Index: []string{s.alias},
		Body: jsonBody(object{
			"size":             0,
			"track_total_hits": false,
			"aggs":             object{"with": object{"filters": object{"filters": filters}}},
		}),
		AllowPartialSearchResults: &whole,
		FilterPath:                []string{"aggregations.with.buckets.doc_count"},
	}, &answer)
	if err != nil {
		return store.Counts{}, err
	}
	buckets := answer.Aggregations.With.Buckets
	if len(buckets) != len(filters) {
		return store.Counts{}, s.unknownForm(nil)
	}
	counts := store.Counts{Chunks: buckets[0].Count, With: make([]int, len(tokens))}
	for i := range tokens {
		counts.With[i] = buckets[i+1].Count
	}
	return counts, nil
}

func exists(field string) object { return object{"exists": object{"field": field}} }

// Count implements store.Store. The mark is not counted.
func (s *Store) Count(ctx context.Context) (int, error) {
	var answer struct {
		Count int `json:"count"`
	}
	err := s.call(ctx, esapi.CountRequest{Index: []string{s.alias}, Body: jsonBody(object{"query": exists(fieldID)})}, &answer)
	return answer.Count, err
}

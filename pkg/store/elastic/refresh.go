package elastic

import (
	"context"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Refresh implements store.Store.
func (s *Store) Refresh(ctx context.Context) error {
	var answer struct {
		Shards struct {
			Failed   int `json:"failed"`
			Failures []struct {
				Reason errorBody `json:"reason"`
			} `json:"failures"`
		} `json:"_shards"`
	}
	if err := s.call(ctx, esapi.IndicesRefreshRequest{Index: []string{s.alias}}, &answer); err != nil {
		return err
	}
	if answer.Shards.Failed == 0 {
		return nil
	}
	r := &refusal{Type: "refresh"}
	if len(answer.Shards.Failures) > 0 {
		r = answer.Shards.Failures[0].Reason.refusal(0)
	}
	s.trust.doubt()
	return document.Errorf(document.Unavailable, "%d shards of index %s of Elasticsearch at %s could not be refreshed: see its log: %w",
		answer.Shards.Failed, s.alias, s.where, r)
}

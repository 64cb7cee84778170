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
			Successful int `json:"successful"`
			Failed     int `json:"failed"`
			Failures   []struct {
				Reason errorBody `json:"reason"`
			} `json:"failures"`
		} `json:"_shards"`
	}
	if err := s.call(ctx, esapi.IndicesRefreshRequest{Index: []string{s.alias}}, &answer); err != nil {
		return err
	}
	shards := answer.Shards
	if shards.Failed == 0 && shards.Successful > 0 {
		return nil
	}
	s.trust.doubt()
	if shards.Failed == 0 {
		return s.sentence(&refusal{Type: "index_closed_exception"}) // which the server passes over
	}
	r := &refusal{Type: "refresh"}
	if len(shards.Failures) > 0 {
		r = shards.Failures[0].Reason.refusal(0)
	}
	return document.Errorf(document.Unavailable, "%d shards of index %s of Elasticsearch at %s could not be refreshed: see its log: %w",
		shards.Failed, s.alias, s.where, r)
}

package elastic

import (
	"context"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Count implements store.Store. The mark is not counted.
func (s *Store) Count(ctx context.Context) (int, error) {
	var answer struct {
		Count int `json:"count"`
	}
	err := s.call(ctx, esapi.CountRequest{Index: []string{s.alias}, Body: jsonBody(object{"query": exists(fieldID)})}, &answer)
	return answer.Count, err
}

// exists is the query for what has a field.
func exists(field string) object { return object{"exists": object{"field": field}} }

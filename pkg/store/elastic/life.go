package elastic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
)

// life tells whether an index went on without a break: when each of its shards
// was started. A server that was stopped, put back to an older copy and
// started while nobody asked it anything has the mark of that copy, perhaps
// the very one that was read before, and lacks what was applied since.
//
// Neither the index's uuid nor the terms of its shards tell: a copy has both,
// and the term grows by one with each start, of either.
type life string

// readLife asks the server; an index that is not there has an empty life.
func (s *Store) readLife(ctx context.Context) (life, error) {
	var answer map[string]struct {
		Shards []struct {
			ID      int  `json:"id"`
			Primary bool `json:"primary"`
			Started int  `json:"start_time_in_millis"`
		} `json:"shards"`
	}
	err := s.do(ctx, esapi.IndicesRecoveryRequest{
		Index: []string{s.alias}, FilterPath: []string{"*.shards.id", "*.shards.primary", "*.shards.start_time_in_millis"},
	}, &answer)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var shards []string
	for name, index := range answer {
		for _, shard := range index.Shards {
			if shard.Primary {
				shards = append(shards, fmt.Sprint(name, " ", shard.ID, " ", shard.Started))
			}
		}
	}
	slices.Sort(shards)
	return life(fmt.Sprint(shards)), nil
}

func (s *Store) restarted() error {
	return document.Errorf(document.Unavailable, "index %s of Elasticsearch at %s was started again since its mark was read, perhaps from an older copy: read the mark, and apply again what came after it",
		s.alias, s.where)
}

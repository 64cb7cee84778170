package elastic

import (
	"context"
	"encoding/json"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
)

// life tells whether an index went on without a break: its uuid, and the
// terms of its shards, which grow whenever a shard is started again. A server
// that was stopped, put back to an older copy and started while nobody asked
// it anything has the mark of that copy, perhaps the very one that was read
// before, and lacks what was applied between the mark and the copy's age.
type life string

// readLife asks the server; the life of an index that is not there is empty.
func (s *Store) readLife(ctx context.Context) (life, error) {
	var answer struct {
		Metadata struct {
			Indices map[string]json.RawMessage `json:"indices"`
		} `json:"metadata"`
	}
	err := s.do(ctx, esapi.ClusterStateRequest{
		Metric: []string{"metadata"}, Index: []string{s.alias},
		FilterPath: []string{"metadata.indices.*.settings.index.uuid", "metadata.indices.*.primary_terms"},
	}, &answer)
	if err != nil {
		return "", err
	}
	if len(answer.Metadata.Indices) == 0 {
		return "", nil
	}
	return life(compact(answer.Metadata.Indices)), nil
}

func (s *Store) restarted() error {
	return document.Errorf(document.Unavailable, "index %s of Elasticsearch at %s was started again since its mark was read, perhaps from an older copy: read the mark, and apply again what came after it",
		s.alias, s.where)
}

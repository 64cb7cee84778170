package elastic

import (
	"context"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// routes returns a routing value for each shard of an index, for requests that
// the server sends to one shard only. Which value leads where stays the same
// for the life of an index.
func (s *Store) findRoutes(ctx context.Context, name string, ix index) error {
	uuid := ix.Settings["index.uuid"]
	if known := s.routes.Load(); known != nil && known.uuid == uuid {
		return nil
	}
	shards, err := strconv.Atoi(ix.Settings["index.number_of_shards"])
	if err != nil {
		return s.unknownForm(err)
	}
	found := make(map[int]string, shards)
	for i := 0; len(found) < shards; i++ {
		value, shard := strconv.Itoa(i), 0
		if shards > 1 {
			if shard, err = s.shardOf(ctx, name, value); err != nil {
				return err
			}
		}
		found[shard] = value
	}
	r := &routes{uuid: uuid}
	for _, value := range found {
		r.values = append(r.values, value)
	}
	s.routes.Store(r)
	return nil
}

// routes of the index with that uuid.
type routes struct {
	uuid   string
	values []string
}

func (s *Store) shardOf(ctx context.Context, name, routing string) (int, error) {
	var answer struct {
		Shards [][]struct {
			Shard int `json:"shard"`
		} `json:"shards"`
	}
	if err := s.do(ctx, esapi.SearchShardsRequest{Index: []string{name}, Routing: routing}, &answer); err != nil {
		return 0, s.plain(err)
	}
	if len(answer.Shards) != 1 || len(answer.Shards[0]) == 0 {
		return 0, s.unknownForm(errNoShard)
	}
	return answer.Shards[0][0].Shard, nil
}

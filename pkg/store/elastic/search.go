package elastic

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// sourceDoc are the attributes as a search brings them.
type sourceDoc struct {
	Source   document.Source `json:"source"`
	Doc      document.DocID  `json:"doc"`
	Path     document.Path   `json:"path"`
	Language string          `json:"language"`
	Kind     string          `json:"kind"`
	Symbol   string          `json:"symbol"`
}

// Search implements store.Lexical. Weights are finite and not negative; of a
// term that stands twice they add up. k above a million is a million.
func (s *Store) Search(ctx context.Context, terms []store.Term, filter store.Filter, k int) ([]store.Hit, error) {
	terms, err := store.Distinct(terms)
	if err != nil {
		return nil, err
	}
	if k < 1 || len(terms) == 0 {
		return nil, s.ready(ctx)
	}
	should := make([]object, len(terms))
	for i, t := range terms {
		should[i] = object{"term": object{fieldText: object{"value": t.Token, "boost": t.Weight}}}
	}
	var answer struct {
		Hits struct {
			Hits []struct {
				Source sourceDoc          `json:"_source"`
				Sort   [2]json.RawMessage `json:"sort"`
			} `json:"hits"`
		} `json:"hits"`
	}
	whole := false
	err = s.call(ctx, esapi.SearchRequest{
		Index: []string{s.alias},
		Body: jsonBody(object{
			"query":            object{"bool": object{"should": should, "minimum_should_match": 1, "filter": narrow(filter)}},
			"sort":             []any{"_score", fieldID},
			"size":             min(k, maxHits),
			"track_total_hits": false,
			"_source":          object{"excludes": []string{fieldID}},
		}),
		// One scale over all shards; with one shard it costs nothing.
		SearchType:                "dfs_query_then_fetch",
		AllowPartialSearchResults: &whole,
		FilterPath:                []string{"hits.hits._source", "hits.hits.sort"},
	}, &answer)
	if err != nil {
		return nil, err
	}
	hits := make([]store.Hit, len(answer.Hits.Hits))
	for i, h := range answer.Hits.Hits {
		var score float64
		if err := json.Unmarshal(h.Sort[0], &score); err != nil {
			return nil, s.unknownForm(err)
		}
		if err := json.Unmarshal(h.Sort[1], &hits[i].ID); err != nil {
			return nil, s.unknownForm(err)
		}
		hits[i].Score = score * (store.K1 + 1) // which Lucene leaves out
		hits[i].Attrs = store.Attrs(h.Source)
	}
	return hits, nil
}

func (s *Store) unknownForm(err error) error {
	return document.Errorf(document.Unavailable, "Elasticsearch at %s answers in an unknown form: %w", s.where, err)
}

// narrow returns the clauses of a filter.
func narrow(f store.Filter) []object {
	out := []object{}
	if len(f.Sources) > 0 {
		out = append(out, anyOf(fieldSource, f.Sources))
	}
	if len(f.Languages) > 0 {
		out = append(out, anyOf(fieldLanguage, f.Languages))
	}
	if len(f.Kinds) > 0 {
		out = append(out, anyOf(fieldKind, f.Kinds))
	}
	dirs := make([]string, len(f.Dirs))
	for i, d := range f.Dirs {
		if dirs[i] = strings.TrimRight(d, "/"); dirs[i] == "" {
			return out // the root, which everything lies below
		}
	}
	if len(dirs) > 0 {
		out = append(out, anyOf(fieldDirs, dirs))
	}
	return out
}

func anyOf[V ~string](field string, values []V) object {
	return object{"terms": object{field: values}}
}

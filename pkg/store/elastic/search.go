package elastic

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// values are the doc values of a hit.
type values map[string][]string

func (v values) one(field string) string {
	if list := v[field]; len(list) > 0 {
		return list[0]
	}
	return ""
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
	must, should := []object{}, []object{}
	for _, t := range terms {
		clause := object{"term": object{fieldText: object{"value": t.Token, "boost": t.Weight}}}
		if t.Required {
			must = append(must, clause)
		} else {
			should = append(should, clause)
		}
	}
	least := 1 // of those that are not required
	if len(must) > 0 {
		least = 0
	}
	var answer searchAnswer
	whole := false
	err = s.call(ctx, esapi.SearchRequest{
		Index: []string{s.alias},
		Body: jsonBody(object{
			"query":            object{"bool": object{"must": must, "should": should, "minimum_should_match": least, "filter": narrow(filter)}},
			"sort":             []any{"_score", fieldPath, fieldSource, object{fieldSymbol: object{"missing": "_first"}}, fieldID}, // as store.Hit.Compare
			"size":             min(k, maxHits),
			"track_total_hits": false,
			"stored_fields":    "_none_", // not even _id: sort has it
			"docvalue_fields":  []string{fieldSource, fieldDoc, fieldPath, fieldLanguage, fieldKind, fieldSymbol},
		}),
		// One scale over all shards; with one shard it costs nothing.
		SearchType:                "dfs_query_then_fetch",
		AllowPartialSearchResults: &whole,
		FilterPath:                []string{"hits.hits.fields", "hits.hits.sort"},
	}, &answer)
	if err != nil {
		return nil, err
	}
	hits, err := answer.hits()
	if err != nil {
		return nil, s.unknownForm(err)
	}
	return hits, nil
}

// searchAnswer is what the server says to a search.
type searchAnswer struct {
	Hits struct {
		Hits []struct {
			Fields values             `json:"fields"`
			Sort   [5]json.RawMessage `json:"sort"`
		} `json:"hits"`
	} `json:"hits"`
}

func (a *searchAnswer) hits() ([]store.Hit, error) {
	hits := make([]store.Hit, len(a.Hits.Hits))
	for i, h := range a.Hits.Hits {
		var score float64
		if err := json.Unmarshal(h.Sort[0], &score); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(h.Sort[4], &hits[i].ID); err != nil {
			return nil, err
		}
		hits[i].Score = score * (store.K1 + 1) // which Lucene leaves out
		hits[i].Attrs = store.Attrs{
			Source: document.Source(h.Fields.one(fieldSource)), Doc: document.DocID(h.Fields.one(fieldDoc)), Path: document.Path(h.Fields.one(fieldPath)),
			Language: h.Fields.one(fieldLanguage), Kind: h.Fields.one(fieldKind), Symbol: h.Fields.one(fieldSymbol),
		}
	}
	return hits, nil
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

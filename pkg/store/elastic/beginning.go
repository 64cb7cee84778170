package elastic

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/store"
)

// Beginning implements store.Lexical. The terms of a text field are in no answer
// of the server but one: into which words it rewrites the query for a prefix.
// (The API for enumerating terms has those of keywords alone.)
func (s *Store) Beginning(ctx context.Context, prefix string, limit int) ([]string, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	limit = min(limit, store.MaxBeginning)
	if limit < 1 {
		return nil, nil
	}
	yes := true
	var answer struct {
		Error        string `json:"error"`
		Explanations []struct {
			Valid       bool   `json:"valid"`
			Error       string `json:"error"`
			Explanation string `json:"explanation"`
		} `json:"explanations"`
	}
	err := s.call(ctx, esapi.IndicesValidateQueryRequest{
		Index: []string{s.alias}, Rewrite: &yes, AllShards: &yes,
		Body: jsonBody(object{"query": object{"prefix": object{fieldText: object{
			"value": prefix, "rewrite": fmt.Sprintf("top_terms_%d", limit), // the first ones, since all weigh alike
		}}}}),
	}, &answer)
	if err != nil {
		return nil, err
	}
	var terms []string
	for _, shard := range answer.Explanations {
		if !shard.Valid {
			return nil, s.unknownForm(fmt.Errorf("no terms: %s", shard.Error))
		}
		if shard.Explanation != fieldText+":"+prefix+"*" { // left as it is where there is none
			terms = append(terms, rewritten(shard.Explanation)...)
		}
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	return terms[:min(len(terms), limit)], nil
}

// rewritten returns the terms of a query as the server writes it: text:a text:b.
func rewritten(query string) (terms []string) {
	for clause := range strings.FieldsSeq(query) {
		if term, ok := strings.CutPrefix(strings.Trim(clause, "()"), fieldText+":"); ok && term != "" {
			term, _, _ = strings.Cut(term, "^") // no token has one
			terms = append(terms, term)
		}
	}
	return terms
}

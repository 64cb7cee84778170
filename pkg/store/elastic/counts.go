package elastic

import (
	"context"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/store"
)

// unknownToken stands in for tokens where there are none to ask for: even the
// number of chunks is only told beside a token.
const unknownToken = "\ufdd0"

// Counts implements store.Lexical. Each shard is asked for the statistics that
// it would weigh the words of a made-up passage by: a look into the dictionary
// for each token. (Counting with filters reads whole posting lists: 3.6 ms
// instead of 0.8 at 100,000 passages, and growing with them.)
func (s *Store) Counts(ctx context.Context, tokens []string) (store.Counts, error) {
	counts := store.Counts{With: make([]int, len(tokens))}
	at := make(map[string][]int, len(tokens))
	text := unknownToken
	for i, t := range tokens {
		if checkTokens(tokens[i:i+1]) != nil {
			continue // no chunk has it
		}
		if at[t] == nil {
			text += " " + t
		}
		at[t] = append(at[t], i)
	}
	if err := s.ready(ctx); err != nil {
		return store.Counts{}, err
	}
	docs := []object{}
	for _, routing := range s.routes.Load().values {
		docs = append(docs, object{
			"doc": object{fieldText: text}, "routing": routing, "fields": []string{fieldText},
			"field_statistics": true, "term_statistics": true, "positions": false, "offsets": false, "payloads": false,
		})
	}
	var answer struct {
		Docs []struct {
			Error   *errorBody `json:"error"`
			Vectors map[string]struct {
				Field struct {
					Chunks int `json:"doc_count"`
				} `json:"field_statistics"`
				Terms map[string]struct {
					Chunks int `json:"doc_freq"`
				} `json:"terms"`
			} `json:"term_vectors"`
		} `json:"docs"`
	}
	now := false
	err := s.call(ctx, esapi.MtermvectorsRequest{Index: s.alias, Body: jsonBody(object{"docs": docs}), Realtime: &now}, &answer)
	if err != nil {
		return store.Counts{}, err
	}
	for _, shard := range answer.Docs {
		if shard.Error != nil {
			return store.Counts{}, s.explain(ctx, shard.Error.refusal(0))
		}
		vector := shard.Vectors[fieldText]
		counts.Chunks += max(0, vector.Field.Chunks)
		for token, n := range vector.Terms {
			for _, i := range at[token] {
				counts.With[i] += n.Chunks
			}
		}
	}
	return counts, nil
}

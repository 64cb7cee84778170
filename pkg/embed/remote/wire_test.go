package remote_test

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
)

// Every format gives each text its vector, keeps to the server's limits, tells
// questions from passages where the server does, and counts.
func TestEveryFormat_GivesEachTextItsVector(t *testing.T) {
	for provider, c := range map[string]struct {
		path, at string
		types    bool // questions are told from passages
		counts   bool
	}{
		config.OpenAI: {"/v1", "/v1/embeddings", false, true},
		config.Cohere: {"", "/v2/embed", true, true},
		config.Voyage: {"/v1", "/v1/embeddings", true, true},
		config.Ollama: {"", "/api/embed", false, true},
		config.TEI:    {"/tei", "/tei/embed", false, false},
	} {
		t.Run(provider, func(t *testing.T) {
			s := embedtest.Start(t, dims)
			s.Refused = []string{"n33"}
			e := open(t, settings(s, func(e *config.Embedder) { e.Provider, e.URL, e.Inputs = provider, s.URL()+c.path, 2048 }))
			texts := numbered(130)
			vectors, errs := e.EmbedDocuments(t.Context(), texts)
			if document.KindOf(errs[33]) != document.InvalidRequest {
				t.Errorf("the text that is refused: %v", errs[33])
			}
			vectors[33], errs[33], texts[33] = vectors[0], errs[0], texts[0]
			holds(t, s, texts, vectors, errs)
			v, err := e.EmbedQuery(t.Context(), "walrus")
			if err != nil || len(v.Data) != dims {
				t.Fatalf("%d values: %v", len(v.Data), err)
			}
			asked := s.Asked()
			for i, a := range asked {
				if a.Path != c.at || a.Key == "" || a.Query != (c.types && i == len(asked)-1) {
					t.Errorf("asked for %+v", a)
				}
			}
			if u := e.Usage(); c.counts && u.Tokens != 129*3+2 || u.Tokens == 0 { // and the probe, and the question
				t.Errorf("counted %+v", u)
			}
			if _, errs := open(t, settings(s, func(e *config.Embedder) { e.Provider, e.URL, e.Dimensions = provider, s.URL()+c.path, dims+1 })).EmbedDocuments(t.Context(), texts[:1]); document.KindOf(errs[0]) != document.IdentityMismatch {
				t.Errorf("vectors of another length: %v", errs[0])
			}
		})
	}
}

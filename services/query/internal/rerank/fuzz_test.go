package rerank

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/freshet-dev/freshet/pkg/provider"
)

// answers is a server that says one thing, without a network.
type answers []byte

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(a))}, nil
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`[{"index":0,"score":1},{"index":1,"score":-2.5e3},{"index":2,"score":0}]`))
	f.Add([]byte(`{"id":"a","results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0},{"index":1,"relevance_score":1e-9}],"meta":{}}`))
	f.Add([]byte(`{"results":null}`))
	f.Add([]byte(`[{"index":0,"score":1e999}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, kind := range []string{Cohere, TEI} {
			c := provider.Over(answers(body), provider.Server{URL: "http://127.0.0.1"}, "/rerank")
			r := Reranker(&cohere{c, "m"})
			if kind == TEI {
				r = &tei{c, 32}
			}
			scores, err := r.Rate(t.Context(), "q", three)
			if err != nil {
				continue
			}
			if len(scores) != len(three) {
				t.Errorf("%s: %d scores", kind, len(scores))
			}
			for _, s := range scores {
				if math.IsNaN(s) || math.IsInf(s, 0) {
					t.Errorf("%s: %v", kind, scores)
				}
			}
		}
	})
}

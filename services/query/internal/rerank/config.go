package rerank

import (
	"cmp"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// Kinds of reranker.
const (
	None   = "none"
	Cohere = "cohere" // a server that speaks Cohere's /v2/rerank
	TEI    = "tei"    // a server that speaks Text Embeddings Inference's /rerank
)

// cohereURL is where Cohere itself answers.
const cohereURL = "https://api.cohere.com"

// New returns the reranker that a valid configuration chooses, nil for none.
func New(cfg config.Rerank) (Reranker, error) {
	at := provider.Server{URL: cfg.URL, Key: cfg.Key, CA: cfg.CA, Section: "query.rerank", TooLarge: "lower query.rerank.batch or query.rerank.passages"}
	switch cfg.Kind {
	case Cohere:
		at.URL = cmp.Or(at.URL, cohereURL)
		c, err := provider.New(at, "/v2/rerank")
		return &cohere{c, cfg.Model}, err
	case TEI:
		c, err := provider.New(at, "/rerank")
		return &tei{c, cfg.Batch}, err
	}
	return nil, nil
}

package rerank

import (
	"cmp"

	"github.com/freshet-dev/freshet/pkg/config"
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
	switch cfg.Kind {
	case Cohere:
		cfg.URL = cmp.Or(cfg.URL, cohereURL)
		c, err := newClient(&cfg, "/v2/rerank")
		return &cohere{c, cfg.Model}, err
	case TEI:
		c, err := newClient(&cfg, "/rerank")
		return &tei{c, cfg.Batch}, err
	}
	return nil, nil
}

package rerank

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/provider"
)

// cohere asks a server that speaks Cohere's POST /v2/rerank. It takes 10,000
// documents in one request, so all passages go in one: that is one unit of the
// bill.
type cohere struct {
	*provider.Client
	model string
}

type cohereRequest struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

// cohereReply has its results best first; index is that of the request.
type cohereReply struct {
	Results []struct {
		Index *int     `json:"index"`
		Score *float64 `json:"relevance_score"`
	} `json:"results"`
}

// Rate implements Reranker.
func (c *cohere) Rate(ctx context.Context, query string, passages []string) ([]float64, error) {
	var reply cohereReply
	err := c.Post(ctx, cohereRequest{Model: c.model, Query: query, Documents: passages, TopN: len(passages)}, &reply)
	if err != nil {
		return nil, err
	}
	ratings := make([]rating, len(reply.Results))
	for i, r := range reply.Results {
		ratings[i] = rating{r.Index, r.Score}
	}
	return place(c.URL, ratings, len(passages))
}

package rerank

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/provider"
)

// tei asks a server that speaks POST /rerank of Text Embeddings Inference. It
// takes no more texts at once than its --max-client-batch-size, and rates each
// on its own, so that batches can be put together.
type tei struct {
	*provider.Client
	batch int
}

type teiRequest struct {
	Query string   `json:"query"`
	Texts []string `json:"texts"`
	// RawScores asks for the model's numbers without the sigmoid, which makes
	// everything good equal to one. Truncate lets the server cut what is too
	// long, where it would refuse the whole batch.
	RawScores bool `json:"raw_scores"`
	Truncate  bool `json:"truncate"`
}

// teiReply is best first; index is that of the request.
type teiReply []struct {
	Index *int     `json:"index"`
	Score *float64 `json:"score"`
}

// Rate implements Reranker.
func (t *tei) Rate(ctx context.Context, query string, passages []string) ([]float64, error) {
	out := make([]float64, len(passages))
	group, ctx := errgroup.WithContext(ctx)
	for start := 0; start < len(passages); start += t.batch {
		part := passages[start:min(start+t.batch, len(passages))]
		group.Go(func() error {
			scores, err := t.rate(ctx, query, part)
			copy(out[start:], scores)
			return err
		})
	}
	return out, group.Wait()
}

func (t *tei) rate(ctx context.Context, query string, passages []string) ([]float64, error) {
	var reply teiReply
	err := t.Post(ctx, teiRequest{Query: query, Texts: passages, RawScores: true, Truncate: true}, &reply)
	if err != nil {
		return nil, err
	}
	ratings := make([]rating, len(reply))
	for i, r := range reply {
		ratings[i] = rating{r.Index, r.Score}
	}
	return place(t.URL, ratings, len(passages))
}

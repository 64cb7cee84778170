package remote

import (
	"encoding/json"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// tei asks a server that speaks POST /embed of Text Embeddings Inference, which
// knows one model alone.
type tei struct{}

func (tei) server(_ config.Embedder, _ *provider.Server) string { return "/embed" }

// most is --max-client-batch-size where nobody has set another.
func (tei) most() int { return 32 }

type teiRequest struct {
	Inputs    []string `json:"inputs"`
	Truncate  bool     `json:"truncate"`
	Normalize bool     `json:"normalize"`
}

func (tei) body(a asked) any { return teiRequest{Inputs: a.texts, Truncate: true, Normalize: true} }

func (tei) read(raw []byte, n int) (out answer, err error) {
	var rows []row
	if err := json.Unmarshal(raw, &rows); err != nil {
		return answer{}, err
	}
	out.vectors, err = inOrder(rows, n)
	return out, err
}

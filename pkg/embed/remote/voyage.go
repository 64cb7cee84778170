package remote

import (
	"cmp"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// voyageURL is where Voyage answers.
const voyageURL = "https://api.voyageai.com/v1"

// voyage asks Voyage's POST /embeddings, which answers as OpenAI's does.
type voyage struct{ openAI }

func (voyage) server(c config.Embedder, at *provider.Server) string {
	at.URL = cmp.Or(c.URL, voyageURL)
	return "/embeddings"
}

func (voyage) most() int { return 1000 }

type voyageRequest struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Type     string   `json:"input_type"`
	Truncate bool     `json:"truncation"`
	Dims     int      `json:"output_dimension,omitempty"`
}

func (voyage) body(a asked) any {
	r := voyageRequest{Model: a.model, Input: a.texts, Type: "document", Truncate: true, Dims: a.dims}
	if a.query {
		r.Type = "query"
	}
	return r
}

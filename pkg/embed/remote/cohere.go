package remote

import (
	"cmp"
	"encoding/json"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// cohereURL is where Cohere itself answers.
const cohereURL = "https://api.cohere.com"

// cohere asks a server that speaks Cohere's POST /v2/embed.
type cohere struct{}

func (cohere) server(c config.Embedder, at *provider.Server) string {
	at.URL = cmp.Or(c.URL, cohereURL)
	return "/v2/embed"
}

func (cohere) most() int { return 96 }

type cohereRequest struct {
	Model    string   `json:"model"`
	Texts    []string `json:"texts"`
	Type     string   `json:"input_type"`
	Kinds    []string `json:"embedding_types"`
	Truncate string   `json:"truncate"`
	Dims     int      `json:"output_dimension,omitempty"`
}

func (cohere) body(a asked) any {
	r := cohereRequest{Model: a.model, Texts: a.texts, Type: "search_document", Kinds: []string{"float"}, Truncate: "END", Dims: a.dims}
	if a.query {
		r.Type = "search_query"
	}
	return r
}

func (cohere) read(raw []byte, n int) (out answer, err error) {
	var says struct {
		Embeddings struct {
			Float []row `json:"float"`
		} `json:"embeddings"`
		Meta struct {
			Billed struct {
				Tokens float64 `json:"input_tokens"`
			} `json:"billed_units"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(raw, &says); err != nil {
		return answer{}, err
	}
	out.tokens = int(says.Meta.Billed.Tokens)
	out.vectors, err = inOrder(says.Embeddings.Float, n)
	return out, err
}

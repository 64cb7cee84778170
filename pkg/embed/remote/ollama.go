package remote

import (
	"cmp"
	"encoding/json"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// ollamaURL is where Ollama listens by itself.
const ollamaURL = "http://127.0.0.1:11434"

// ollama asks Ollama's own POST /api/embed, which cuts what is too long.
type ollama struct{}

func (ollama) server(c config.Embedder, at *provider.Server) string {
	at.URL = cmp.Or(c.URL, ollamaURL)
	return "/api/embed"
}

func (ollama) most() int { return 2048 }

type ollamaRequest struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Truncate bool     `json:"truncate"`
	Dims     int      `json:"dimensions,omitempty"`
}

func (ollama) body(a asked) any {
	return ollamaRequest{Model: a.model, Input: a.texts, Truncate: true, Dims: a.dims}
}

func (ollama) read(raw []byte, n int) (out answer, err error) {
	var says struct {
		Embeddings []row `json:"embeddings"`
		Tokens     int   `json:"prompt_eval_count"`
	}
	if err := json.Unmarshal(raw, &says); err != nil {
		return answer{}, err
	}
	out.tokens = says.Tokens
	out.vectors, err = inOrder(says.Embeddings, n)
	return out, err
}

package remote

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// openAIURL is where OpenAI itself answers.
const openAIURL = "https://api.openai.com/v1"

// openAI asks a server that speaks OpenAI's POST /embeddings: OpenAI itself, Azure,
// vLLM, llama.cpp, LM Studio, Ollama and many more.
type openAI struct{ azure bool }

func (w openAI) server(c config.Embedder, at *provider.Server) string {
	if w.azure {
		at.URL, at.Header = c.URL+"?api-version="+url.QueryEscape(c.Version), "api-key"
	} else {
		at.URL = cmp.Or(c.URL, openAIURL)
	}
	return "/embeddings"
}

func (openAI) most() int { return 2048 }

type openAIRequest struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
	Dims  int      `json:"dimensions,omitempty"`
}

func (openAI) body(a asked) any { return openAIRequest{Model: a.model, Input: a.texts, Dims: a.dims} }

// read places vectors by their index: the interface promises no order.
func (openAI) read(raw []byte, n int) (answer, error) {
	var says struct {
		Data []struct {
			Index     *int `json:"index"`
			Embedding row  `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt int `json:"prompt_tokens"`
			Total  int `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(raw, &says); err != nil {
		return answer{}, err
	}
	if len(says.Data) != n {
		return answer{}, fmt.Errorf("%d vectors for %d texts", len(says.Data), n)
	}
	out := answer{vectors: make([][]float32, n), tokens: max(says.Usage.Prompt, says.Usage.Total)}
	for i, d := range says.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out.vectors[at] != nil {
			return answer{}, fmt.Errorf("the vector number %d has the index %d, of %d texts", i, at, n)
		}
		if out.vectors[at] = d.Embedding; d.Embedding == nil {
			out.vectors[at] = []float32{} // so that its index counts as taken
		}
	}
	return out, nil
}

package answers

import (
	"cmp"
	"net/url"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// openAIURL is where OpenAI itself answers.
const openAIURL = "https://api.openai.com/v1"

// Open returns the model that a valid configuration chooses, nil for none.
func Open(cfg config.Answer) (Model, error) {
	at := provider.Server{URL: cfg.URL, Key: cfg.Key, CA: cfg.CA, Section: "query.answer", TooLarge: "ask with a smaller max_tokens"}
	switch cfg.Kind {
	case "openai":
		at.URL = cmp.Or(at.URL, openAIURL)
	case "azure":
		at.URL, at.Header = at.URL+"?api-version="+url.QueryEscape(cfg.Version), "api-key"
	default:
		return nil, nil
	}
	server, err := provider.New(at, "/chat/completions")
	return &Chat{Server: server, Model: cfg.Model, Temperature: cfg.Temperature, MaxTokens: cfg.MaxTokens}, err
}

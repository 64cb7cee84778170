package rerank

import (
	"net/url"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Kinds of reranker.
const (
	None      = "none"
	Heuristic = "heuristic"
	Cohere    = "cohere" // a server that speaks Cohere's /v2/rerank
	TEI       = "tei"    // a server that speaks Text Embeddings Inference's /rerank
)

// cohereURL is where Cohere itself answers.
const cohereURL = "https://api.cohere.com"

// Config chooses a reranker.
type Config struct {
	Kind string
	// URL, Model, Key and CA say where a server is and how to be let in.
	URL, Model string
	Key        config.Secret
	CA         string
	// Passages is how many of the best are looked at, Weight what the reranker's
	// order counts beside the one before it: above 0, at most 0.9.
	Passages int
	Weight   float64
	// Deadline is the time that it may take; after it the order stays.
	Deadline time.Duration
	// Batch is how many passages TEI is sent at once.
	Batch int
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	if c.Kind == "" {
		c.Kind = None
	}
	if c.Kind == Cohere && c.URL == "" {
		c.URL = cohereURL
	}
	if c.Passages == 0 {
		c.Passages = 20
	}
	if c.Weight == 0 {
		c.Weight = .5
	}
	if c.Deadline == 0 {
		c.Deadline = 500 * time.Millisecond
	}
	if c.Batch == 0 {
		c.Batch = 32 // what TEI takes by default
	}
}

// Validate names the first setting that cannot work.
func (c *Config) Validate() error {
	wrong := func(format string, args ...any) error {
		return document.Errorf(document.InvalidRequest, "query.rerank."+format, args...)
	}
	switch c.Kind {
	case None, Heuristic:
	case Cohere, TEI:
		u, err := url.Parse(c.URL)
		switch {
		case c.URL == "":
			return wrong("url is missing: name the server of query.rerank.kind %s, such as http://127.0.0.1:8080", c.Kind)
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
			return wrong("url cannot be used: write it as https://HOST:PORT, without user and password")
		case c.Kind == Cohere && c.Model == "":
			return wrong("model is missing: name one, such as rerank-v3.5")
		}
	default:
		return wrong("kind is %q: use none, heuristic, cohere or tei", c.Kind)
	}
	switch {
	case c.Passages < 2 || c.Passages > 1000:
		return wrong("passages is %d: use 2 to 1000", c.Passages)
	case !(c.Weight > 0 && c.Weight <= .9):
		return wrong("weight is %v: use more than 0, at most 0.9", c.Weight)
	case c.Deadline < time.Millisecond:
		return wrong("deadline is %s: use 1ms or more", c.Deadline)
	case c.Batch < 1 || c.Batch > 1000:
		return wrong("batch is %d: use 1 to 1000", c.Batch)
	}
	return nil
}

// New returns the reranker that a checked Config chooses among those on a
// server, nil where it chooses none of them.
func New(cfg Config) (Reranker, error) {
	switch cfg.Kind {
	case Cohere:
		c, err := newClient(&cfg, "/v2/rerank")
		return &cohere{c, cfg.Model}, err
	case TEI:
		c, err := newClient(&cfg, "/rerank")
		return &tei{c, cfg.Batch}, err
	}
	return nil, nil
}

package config

import (
	"reflect"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Shared is the provider of a collection that has no embedder of its own.
const Shared = "shared"

// Collections configures what a collection has of its own.
type Collections struct {
	Code Collection `yaml:"code" doc:"Code, and whatever is no documentation."`
	Docs Collection `yaml:"docs" doc:"Documentation."`
}

// Collection is what one collection has of its own.
type Collection struct {
	Embedder OwnEmbedder `yaml:"embedder" doc:"What makes the vectors of this collection, where that is not the section embedder: of which the rest holds here, too, from canary on." see:"[Embedders](../how-to/embedders.md)"`
}

// OwnEmbedder is what of an Embedder decides which vectors it makes, and where.
type OwnEmbedder struct {
	Provider string `yaml:"provider" doc:"As embedder.provider, for this collection alone; shared is what the section embedder says. Another one means that this collection is embedded again, and no other." enum:"shared,static,openai,azure,cohere,voyage,ollama,tei"`
	Model    string `yaml:"model" doc:"As embedder.model."`
	URL      string `yaml:"url" doc:"As embedder.url."`
	Version  string `yaml:"version" doc:"As embedder.version."`
	Key      Secret `yaml:"key" doc:"As embedder.key."`
	Former   Secret `yaml:"former_key" doc:"As embedder.former_key."`
	CA       string `yaml:"ca" doc:"As embedder.ca."`

	Dimensions    int    `yaml:"dimensions" doc:"As embedder.dimensions." min:"0" max:"16384"`
	QueryPrefix   string `yaml:"query_prefix" doc:"As embedder.query_prefix."`
	PassagePrefix string `yaml:"passage_prefix" doc:"As embedder.passage_prefix."`
	MaxTokens     int    `yaml:"max_tokens" doc:"As embedder.max_tokens." min:"0" max:"1000000"`

	Revision string  `yaml:"revision" doc:"As embedder.revision."`
	Price    float64 `yaml:"price" doc:"As embedder.price; embedder.budget is for all collections together." min:"0"`
}

// Shared reports whether the collection has no embedder of its own. A section that was
// made in code need not say so.
func (o OwnEmbedder) Shared() bool { return o.Provider == Shared || o.Provider == "" }

// of is the section of a collection.
func (c *Collections) of(name document.Collection) *Collection {
	if name == document.CollectionDocs {
		return &c.Docs
	}
	return &c.Code
}

// EmbedderOf is what makes the vectors of a collection, with what holds for all.
func (c Config) EmbedderOf(name document.Collection) Embedder {
	o, e := c.Collections.of(name).Embedder, c.Embedder
	if o.Shared() {
		return e
	}
	e.Provider, e.Model, e.URL, e.Version, e.Key, e.Former, e.CA = o.Provider, o.Model, o.URL, o.Version, o.Key, o.Former, o.CA
	e.Dimensions, e.QueryPrefix, e.PassagePrefix, e.MaxTokens = o.Dimensions, o.QueryPrefix, o.PassagePrefix, o.MaxTokens
	e.Revision, e.Price = o.Revision, o.Price
	return e
}

// WithEmbedders is c with another embedder for each collection. What holds for all stays.
func (c Config) WithEmbedders(of func(document.Collection) Embedder) Config {
	before := c
	for _, name := range document.Collections {
		e := of(name)
		o := &c.Collections.of(name).Embedder
		if before.Collections.of(name).Embedder.Shared() && e == before.Embedder {
			continue
		}
		if e.Provider == "" {
			e.Provider = Static
		}
		*o = OwnEmbedder{
			Provider: e.Provider, Model: e.Model, URL: e.URL, Version: e.Version, Key: e.Key, Former: e.Former, CA: e.CA,
			Dimensions: e.Dimensions, QueryPrefix: e.QueryPrefix, PassagePrefix: e.PassagePrefix, MaxTokens: e.MaxTokens,
			Revision: e.Revision, Price: e.Price,
		}
	}
	return c
}

// AsBuilt is c with the embedders that made the vectors of each collection, to go on
// making them. A key goes to the server for which it was written, whichever section says
// so, and to no other.
func (c Config) AsBuilt(of func(document.Collection) contract.Embedding) Config {
	return c.WithEmbedders(func(name document.Collection) Embedder {
		built := of(name)
		sections := []Embedder{c.EmbedderOf(name), c.Embedder}
		for _, other := range document.Collections {
			sections = append(sections, c.EmbedderOf(other))
		}
		for _, e := range sections {
			if e.Remote() && e.Provider == built.Provider && e.URL == built.URL {
				return e.AsBuilt(built)
			}
		}
		return sections[0].AsBuilt(built)
	})
}

func (p *Problems) collections(c Config) {
	for _, name := range document.Collections {
		at := "collections." + string(name) + ".embedder"
		o := c.Collections.of(name).Embedder
		if !o.Shared() {
			p.embedder(at, c.EmbedderOf(name))
			continue
		}
		for i := range reflect.ValueOf(o).NumField() {
			f, key := reflect.ValueOf(o).Field(i), reflect.TypeOf(o).Field(i).Tag.Get("yaml")
			if key != "provider" && key != "former_key" && !f.IsZero() {
				p.addf(at+"."+key, "is for an embedder of %s alone: name its kind in %s.provider, such as openai, or leave this out", name, at)
			}
		}
	}
}

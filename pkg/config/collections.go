package config

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Shared is the provider of a collection that has no embedder of its own.
const Shared = "shared"

// Collections configures what a collection has of its own.
type Collections struct {
	Code Collection      `yaml:"code" doc:"Code, and whatever is no documentation."`
	Docs Collection      `yaml:"docs" doc:"Documentation."`
	Own  []OwnCollection `yaml:"own" doc:"Further collections, each with an index and an embedder of its own: name, paths, sources, embedder. A document belongs to the first entry that its path matches, and to code or docs where none does. Not by environment variable." see:"[Collections](../how-to/collections.md)"`
}

// OwnCollection is a collection beside code and docs.
type OwnCollection struct {
	Name     string      `yaml:"name" doc:"code- or docs-, which says what it is analysed and ranked like, and up to 31 of a-z and 0-9."`
	Paths    []string    `yaml:"paths" doc:"Folders, files and globs, relative to the source, as in a filter, of the documents that belong to it; empty: those that are put with its name."`
	Sources  []string    `yaml:"sources" doc:"Names of the sources whose documents may belong to it by their path; all where empty."`
	Embedder OwnEmbedder `yaml:"embedder" doc:"As collections.code.embedder."`
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

// fill has the collections that say nothing of an embedder share that of all.
func (c *Collections) fill() {
	for i := range c.Own {
		if e := &c.Own[i].Embedder; e.Provider == "" {
			e.Provider = Shared
		}
	}
}

// Names are those of all collections: the ones without configuration first, then the others
// by name.
func (c Collections) Names() []document.Collection {
	return contract.NewBuild(contract.Cut{}, "", contract.Embedding{}, c.Further()...).Collections()
}

// Further are the names of the collections beside code and docs, as they are written.
func (c Collections) Further() (out []document.Collection) {
	for _, own := range c.Own {
		out = append(out, document.Collection(own.Name))
	}
	return out
}

// of is the section of the embedder of a collection.
func (c *Collections) of(name document.Collection) *OwnEmbedder {
	for i := range c.Own {
		if c.Own[i].Name == string(name) {
			return &c.Own[i].Embedder
		}
	}
	if name.Prose() {
		return &c.Docs.Embedder
	}
	return &c.Code.Embedder
}

// EmbedderOf is what makes the vectors of a collection, with what holds for all.
func (c Config) EmbedderOf(name document.Collection) Embedder {
	o, e := *c.Collections.of(name), c.Embedder
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
	c.Collections.Own = slices.Clone(c.Collections.Own)
	for _, name := range c.Collections.Names() {
		e := of(name)
		o := c.Collections.of(name)
		if before.Collections.of(name).Shared() && e == before.Embedder {
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

// WithCollections is c with those collections beside code and docs that are named, as they
// are configured where they are.
func (c Config) WithCollections(names []document.Collection) Config {
	var own []OwnCollection
	for _, name := range names {
		if i := slices.Index(c.Collections.Further(), name); i >= 0 {
			own = append(own, c.Collections.Own[i])
		} else if name != name.Base() {
			own = append(own, OwnCollection{Name: string(name), Embedder: OwnEmbedder{Provider: Shared}})
		}
	}
	c.Collections.Own = own
	return c
}

// AsBuilt is c with the embedders that made the vectors of each collection, to go on
// making them. A key goes to the server for which it was written, whichever section says
// so, and to no other.
func (c Config) AsBuilt(of func(document.Collection) contract.Embedding) Config {
	return c.WithEmbedders(func(name document.Collection) Embedder {
		built := of(name)
		sections := []Embedder{c.EmbedderOf(name), c.Embedder}
		for _, other := range c.Collections.Names() {
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
	checkOwn(p, c.Collections.Own)
	for _, name := range c.Collections.Names() {
		at := "collections." + string(name) + ".embedder"
		if i := slices.Index(c.Collections.Further(), name); i >= 0 {
			at = fmt.Sprintf("collections.own[%d].embedder", i)
		}
		o := *c.Collections.of(name)
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

func checkOwn(p *Problems, all []OwnCollection) {
	named := map[string]bool{}
	for i, own := range all {
		at := fmt.Sprintf("collections.own[%d]", i)
		if err := document.Collection(own.Name).CheckOwn(); err != nil {
			p.addf(at+".name", "%s", err)
		} else if named[own.Name] {
			p.addf(at+".name", "is %s, which another entry has: give it all paths in one entry", own.Name)
		}
		named[own.Name] = true
		if _, err := pathset.Parse(own.Paths); err != nil {
			p.addf(at+".paths", "%s", err)
		}
		for _, source := range own.Sources {
			if _, err := document.ParseSource(source); err != nil {
				p.addf(at+".sources", "has %q: use 1 to 64 of a-z, 0-9, - and _", source)
			}
		}
	}
}

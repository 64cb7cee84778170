package weaviate

import (
	"fmt"
	"slices"

	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
)

// The properties of an object. Terms is what filters and Count look at; the
// others are what a hit shows, and are not indexed.
const (
	propSource   = "source"
	propDoc      = "doc"
	propPath     = "path"
	propLanguage = "language"
	propKind     = "kind"
	propSymbol   = "symbol"
	propTerms    = "terms"
	// propStore and propPosition make up the mark. The position is text,
	// because the server's numbers are float64.
	propStore    = "store"
	propPosition = "position"
	// propGuard holds an empty object. The server's automatic schema, which
	// is on unless told otherwise, cannot make a class with such a property.
	propGuard = "guard"
)

// shown are the properties that make up a hit's attributes.
var shown = []string{propSource, propDoc, propPath, propLanguage, propKind, propSymbol}

const (
	vectorizer = "none"
	distance   = "dot"
	// tokenization keeps a text in one piece, but for white space around it.
	tokenization = "field"
)

// definition is the class as SetMark creates it.
func (s *Store) definition() *models.Class {
	return &models.Class{
		Class:           s.class,
		Description:     describe(s.dims),
		Vectorizer:      vectorizer,
		VectorIndexType: "hnsw",
		VectorIndexConfig: map[string]any{
			"distance": distance,
			// These are the server's own since 1.26, written down so that
			// another default does not change what the tests measured.
			"efConstruction": 128, "maxConnections": 32, "flatSearchCutoff": 40_000,
		},
		Properties: properties(),
		ReplicationConfig: &models.ReplicationConfig{
			Factor: int64(s.replicas),
			// What a replica missed all the same is brought to it.
			AsyncEnabled: s.replicas > 1,
		},
	}
}

// describe keeps the length of the vectors, which the server knows only once
// there are any.
func describe(dims int) string {
	return fmt.Sprintf("freshet: vectors of %d dimensions", dims)
}

func properties() []*models.Property {
	no := false
	property := func(name, kind string, filterable bool) *models.Property {
		return &models.Property{
			Name: name, DataType: []string{kind}, Tokenization: tokenization,
			IndexFilterable: &filterable, IndexSearchable: &no,
		}
	}
	all := []*models.Property{property(propTerms, "text[]", true)}
	for _, name := range append(slices.Clone(shown), propStore, propPosition) {
		all = append(all, property(name, "text", false))
	}
	return append(all, &models.Property{
		Name: propGuard, DataType: []string{"object"}, IndexFilterable: &no,
		NestedProperties: []*models.NestedProperty{{Name: "unused", DataType: []string{"int"}, IndexFilterable: &no}},
	})
}

// conforms says what of a class is not as SetMark creates it, as far as it
// matters. The kind of index and its settings are left to the server's owner.
func (s *Store) conforms(class *models.Class) error {
	mismatch := func(what string, args ...any) error {
		return document.Errorf(document.IdentityMismatch, "class %s of Weaviate at %s "+what+
			": delete the class, and it is filled again from the log", append([]any{s.class, s.address}, args...)...)
	}
	var dims int
	if _, err := fmt.Sscanf(class.Description, describe(0)[:len("freshet: vectors of ")]+"%d", &dims); err != nil {
		return mismatch("was not made by freshet, or its description was changed")
	}
	config, _ := class.VectorIndexConfig.(map[string]any)
	switch {
	case dims != s.dims:
		return mismatch("holds vectors of %d dimensions and the embedder makes %d", dims, s.dims)
	case class.Vectorizer != vectorizer || len(class.VectorConfig) > 0:
		return mismatch("has the vectorizer %q instead of %q", class.Vectorizer, vectorizer)
	case config["distance"] != distance:
		return mismatch("compares by %v instead of %q", config["distance"], distance)
	case config["skip"] == true:
		return mismatch("does not index its vectors")
	case class.MultiTenancyConfig != nil && class.MultiTenancyConfig.Enabled:
		return mismatch("is divided into tenants")
	}
	for _, want := range properties() {
		i := slices.IndexFunc(class.Properties, func(p *models.Property) bool { return p.Name == want.Name })
		if i < 0 {
			return mismatch("lacks the property %q", want.Name)
		}
		have := class.Properties[i]
		filterable := have.IndexFilterable != nil && *have.IndexFilterable
		if !slices.Equal(have.DataType, want.DataType) || have.Tokenization != want.Tokenization || filterable != *want.IndexFilterable {
			return mismatch("has another property %q (type %v, tokenization %q, filterable %t)", want.Name, have.DataType, have.Tokenization, filterable)
		}
	}
	return nil
}

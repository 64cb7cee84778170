package classify

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Collections says which collection a path of a source belongs to. The zero value knows
// those without configuration alone. It does not change.
type Collections struct{ own []ownCollection }

type ownCollection struct {
	name    document.Collection
	paths   *pathset.Set
	sources []string // none: all
}

// NewCollections takes the collections that are configured. The error is InvalidRequest.
func NewCollections(all []config.OwnCollection) (c Collections, err error) {
	for _, own := range all {
		if len(own.Paths) == 0 {
			continue // only what is put with its name
		}
		one := ownCollection{name: document.Collection(own.Name), sources: own.Sources}
		if one.paths, err = pathset.Parse(own.Paths); err != nil {
			return c, document.Errorf(document.InvalidRequest, "collections.own: the paths of %s: %w", own.Name, err)
		}
		c.own = append(c.own, one)
	}
	return c, nil
}

// Of returns the first of the configured collections that a path matches, else docs for
// prose and code for everything else. Only the path counts, so that a document never moves
// for its content.
func (c Collections) Of(source document.Source, p document.Path) document.Collection {
	for _, own := range c.own {
		if (len(own.sources) == 0 || slices.Contains(own.sources, string(source))) && own.paths.Match(p) {
			return own.name
		}
	}
	return Collection(p)
}

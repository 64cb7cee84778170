package open

import (
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// Set is the embedder of each collection; those that are configured alike share one.
type Set map[document.Collection]embed.Embedder

// Embedders opens those of a configuration. Errors are those of Embedder, with the
// collection where that has one of its own; it is InvalidRequest where two sections make
// the same vectors in two ways.
func Embedders(c config.Config) (Set, error) {
	opened := map[config.Embedder]embed.Embedder{}
	set := Set{}
	for _, name := range document.Collections {
		section := c.EmbedderOf(name)
		if opened[section] == nil {
			e, err := Embedder(section)
			if err != nil {
				return nil, ofCollection(c, name, err)
			}
			if set.By(e.Identity()) != nil {
				return nil, document.Errorf(document.InvalidRequest, "the embedder of %s makes the same vectors as that of another collection, %s, and is configured otherwise: write the same in both sections, or leave collections.%s.embedder out", name, e.Identity(), name)
			}
			opened[section] = e
		}
		set[name] = opened[section]
	}
	return set, nil
}

// Alike is the set that makes the vectors of all collections by one embedder.
func Alike(e embed.Embedder) Set {
	set := Set{}
	for _, name := range document.Collections {
		set[name] = e
	}
	return set
}

// Known fills in what is known of the embedders of a configuration and was not written:
// what a build is noted with. Errors are those of Embedders.
func Known(c config.Config) (config.Config, error) {
	var errs error
	if shared, err := Resolve(c.Embedder); err == nil { // else it is told of whom it is for
		c.Embedder = shared
	}
	resolved := c.WithEmbedders(func(name document.Collection) config.Embedder {
		e, err := Resolve(c.EmbedderOf(name))
		if err != nil {
			errs = errors.Join(errs, ofCollection(c, name, err))
		}
		return e
	})
	return resolved, errs
}

// ofCollection says of which collection an embedder is, where it has one of its own.
func ofCollection(c config.Config, name document.Collection, err error) error {
	if c.EmbedderOf(name) == c.Embedder {
		return err
	}
	return fmt.Errorf("the embedder of %s (collections.%s.embedder): %w", name, name, err)
}

// Space is what the vectors of a collection have to share.
func (s Set) Space(name document.Collection) embed.Space { return embed.SpaceOf(s[name]) }

// By is the embedder with an identity; nil where none has it.
func (s Set) By(identity string) embed.Embedder {
	for _, name := range document.Collections {
		if e := s[name]; e != nil && e.Identity() == identity {
			return e
		}
	}
	return nil
}

package open

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// Set is the embedder of each collection; those that are configured alike share one.
type Set map[document.Collection]embed.Embedder

// Embedders opens those of a configuration. Errors are those of Embedder, with the
// collection where that has one of its own; it is InvalidRequest where two sections make
// the same vectors in two ways.
func Embedders(c config.Config) (Set, error) {
	set, _, err := Available(c, func(document.Collection) contract.Embedding { return contract.Embedding{} })
	return set, err
}

// Available opens those of a configuration of which some may not be there: built says what
// made the vectors of each collection last. A model in the process that is to be the same,
// and cannot be loaded, makes none until it can: lacks says which, each once. Everything
// else is an error, as of Embedders.
func Available(c config.Config, built func(document.Collection) contract.Embedding) (set Set, lacks []error, err error) {
	opened := map[config.Embedder]embed.Embedder{}
	set = Set{}
	for _, name := range c.Collections.Names() {
		section := c.EmbedderOf(name)
		if opened[section] != nil {
			set[name] = opened[section]
			continue
		}
		e, err := openOr(section, built(name))
		if err != nil && e == nil {
			return nil, nil, ofCollection(c, name, err)
		}
		if err != nil {
			lacks = append(lacks, ofCollection(c, name, err))
		}
		if set.By(e.Identity()) != nil {
			return nil, nil, document.Errorf(document.InvalidRequest, "the embedder of %s makes the same vectors as that of another collection, %s, and is configured otherwise: write the same in both sections, or leave collections.%s.embedder out", name, e.Identity(), name)
		}
		opened[section], set[name] = e, e
	}
	return set, lacks, nil
}

// openOr opens the embedder of a section. With an error it is one in its place, or nil.
func openOr(section config.Embedder, built contract.Embedding) (embed.Embedder, error) {
	e, err := Embedder(section)
	if err == nil {
		return e, nil
	}
	if section.Remote() || built.Provider != "" || built.Embedder == "" || built.Model != section.Model {
		return nil, err
	}
	why := document.Errorf(document.Unavailable, "%s; bring it back and start freshet again, or name another model", err.Error())
	return absent{space: embed.Space{Identity: built.Embedder, Dims: built.Dims}, why: why}, why
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
	for _, e := range s {
		if e.Identity() == identity {
			return e
		}
	}
	return nil
}

// Probe asks for a vector of a collection, where its embedder may be unable to make one.
// The error is InvalidRequest where a server does not let it in, else that of the embedder.
func (s Set) Probe(ctx context.Context, name document.Collection) error {
	e, ok := s[name].(embed.Fallible)
	if !ok {
		return nil
	}
	err := e.Probe(ctx)
	switch document.KindOf(err) {
	case "":
		return nil
	case document.Unauthorized, document.Forbidden: // nobody who asks freshet is meant
		return document.Errorf(document.InvalidRequest, "the embedder of %s makes no vectors: %s", name, err.Error())
	}
	return fmt.Errorf("the embedder of %s makes no vectors: %w", name, err)
}

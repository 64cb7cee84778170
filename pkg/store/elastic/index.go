package elastic

import (
	"context"
	"errors"
	"net/http"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
)

// firstIndex is what follows the alias in an index's name. It is always the
// same, so that of several that create the index at once one wins.
const firstIndex = "-000001"

// create makes the index, or finds that somebody else just did.
func (s *Store) create(ctx context.Context) error {
	name := s.alias + firstIndex
	var made struct {
		Ready bool `json:"shards_acknowledged"`
	}
	err := s.do(ctx, esapi.IndicesCreateRequest{Index: name, Body: jsonBody(s.creation())}, &made)
	var r *refusal
	switch {
	case errors.As(err, &r) && r.Type == "resource_already_exists_exception":
		found, err := s.check(ctx)
		if err == nil && !found {
			err = document.Errorf(document.IdentityMismatch, "index %s of Elasticsearch at %s has lost its alias %s: give it back, or delete the index",
				name, s.where, s.alias)
		}
		return err
	case err != nil:
		return s.plain(err)
	case !made.Ready:
		return document.Errorf(document.Unavailable, "Elasticsearch at %s found no node for index %s: see its log", s.where, name)
	}
	return nil
}

// Drop implements store.Store: the index goes, whatever its mapping.
func (s *Store) Drop(ctx context.Context) error {
	unlock, err := s.marks.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s.marks.seen, s.marks.told, s.marks.life, s.marks.broken = seen{}, "", "", false
	indices, err := s.indices(ctx)
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(indices) {
		var r *refusal
		err := s.do(ctx, esapi.IndicesDeleteRequest{Index: []string{name}}, nil)
		if err != nil && !(errors.As(err, &r) && r.Status == http.StatusNotFound) {
			return s.plain(err)
		}
	}
	s.trust.doubt()
	return nil
}

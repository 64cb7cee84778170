package elastic

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// markID is the id of the mark's document; chunks have UUIDs.
const markID = "mark"

// firstIndex is what follows the alias in an index's name. It is always the
// same, so that of several that create the index at once one wins.
const firstIndex = "-000001"

// markDoc is the mark as it is stored; position is text, since a number
// beyond 2⁵³ does not survive every reader of JSON.
type markDoc struct {
	Mark struct {
		ID       string `json:"id"`
		Position string `json:"position"`
	} `json:"mark"`
}

// Mark implements store.Store. Server, index and mark are read anew each time.
func (s *Store) Mark(ctx context.Context) (store.Mark, error) {
	found, err := s.check(ctx)
	if err != nil || !found {
		s.trust.doubt()
		return store.Mark{}, err
	}
	var answer struct {
		Source markDoc `json:"_source"`
	}
	err = s.do(ctx, esapi.GetRequest{Index: s.alias, DocumentID: markID}, &answer)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusNotFound {
		if r.Type != "" { // the index went away just now
			s.trust.doubt()
		}
		return store.Mark{}, nil
	}
	if err != nil {
		return store.Mark{}, s.explain(ctx, err)
	}
	stored := answer.Source.Mark
	position, err := strconv.ParseUint(stored.Position, 10, 64)
	if err != nil {
		return store.Mark{}, document.Errorf(document.IdentityMismatch,
			"the mark in index %s of Elasticsearch at %s holds the position %q: delete the document %q, then the index is compared with the log and completed",
			s.alias, s.where, stored.Position, markID)
	}
	return store.Mark{ID: stored.ID, Position: position}, nil
}

// SetMark implements store.Store. An absent index is created for a mark at
// position 0 only: with a later one it was deleted meanwhile, and an empty
// index would claim to be complete.
func (s *Store) SetMark(ctx context.Context, m store.Mark) error {
	if !s.trust.holds() {
		found, err := s.check(ctx)
		if err != nil {
			return err
		}
		if !found && m.Position > 0 {
			return s.absent()
		}
		if !found {
			if err := s.create(ctx); err != nil {
				return err
			}
		}
	}
	var doc markDoc
	doc.Mark.ID, doc.Mark.Position = m.ID, strconv.FormatUint(m.Position, 10)
	alias := true
	return s.call(ctx, esapi.IndexRequest{Index: s.alias, DocumentID: markID, Body: jsonBody(doc), RequireAlias: &alias}, nil)
}

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
	indices, err := s.indices(ctx)
	if err != nil {
		return err
	}
	s.trust.doubt()
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

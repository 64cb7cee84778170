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

// markDoc is the mark as it is stored; position is text, since a number
// beyond 2⁵³ does not survive every reader of JSON.
type markDoc struct {
	Mark struct {
		ID       string `json:"id"`
		Position string `json:"position"`
	} `json:"mark"`
}

// seen is the mark as this Store last read or wrote it. SetMark replaces that
// one and no other.
type seen struct {
	store.Mark
	known     bool // that the rest holds
	index     bool // there is an index
	written   bool // there is a mark in it
	seq, term int  // of the mark's document
}

// marks is what a Store knows of its mark, for whoever has the turn.
type marks struct {
	turn
	seen
	told   string // the ID that the caller knows: what Mark returned or SetMark wrote last
	life   life   // of the index when Mark was called last; empty: never, or there was none
	broken bool   // SetMark has told that the index has another life since
}

// Mark implements store.Store. Server, index and mark are read anew each time.
// An index that was started again, and has the mark that was read or written
// last, may still lack what was applied after it: then one call fails with
// document.Unavailable, this one or a SetMark before.
func (s *Store) Mark(ctx context.Context) (store.Mark, error) {
	unlock, err := s.marks.lock(ctx)
	if err != nil {
		return store.Mark{}, err
	}
	defer unlock()
	m := &s.marks
	before := m.seen
	now, err := s.readMark(ctx)
	if err != nil {
		return store.Mark{}, err
	}
	restarted := m.life != "" && now != m.life && !m.broken && before.written && m.Mark == before.Mark
	m.life, m.broken = now, false
	m.told = m.ID
	if restarted {
		return store.Mark{}, s.restarted()
	}
	return m.Mark, nil
}

// readMark sets s.marks.seen, and returns the life of the index, which it reads first.
func (s *Store) readMark(ctx context.Context) (life, error) {
	m := &s.marks
	m.seen = seen{}
	found, err := s.check(ctx)
	if err != nil || !found {
		s.trust.doubt()
		m.known = err == nil
		return "", err
	}
	now, err := s.readLife(ctx)
	if err != nil {
		return "", s.explain(ctx, err)
	}
	if m.seen, err = s.getMark(ctx); err != nil {
		return "", err
	}
	return now, nil
}

// PeekMark implements store.Store: one request, of which conditions and life of
// the index are no part.
func (s *Store) PeekMark(ctx context.Context) (store.Mark, error) {
	if err := s.ready(ctx); err != nil {
		return store.Mark{}, err
	}
	found, err := s.getMark(ctx)
	return found.Mark, err
}

// getMark reads the mark's document.
func (s *Store) getMark(ctx context.Context) (seen, error) {
	var answer struct {
		Source markDoc `json:"_source"`
		Seq    int     `json:"_seq_no"`
		Term   int     `json:"_primary_term"`
	}
	err := s.do(ctx, esapi.GetRequest{Index: s.alias, DocumentID: markID}, &answer)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusNotFound {
		return seen{known: true, index: r.Type == ""}, nil // a type: the index went away just now
	}
	if err != nil {
		return seen{}, s.explain(ctx, err)
	}
	stored := answer.Source.Mark
	position, err := strconv.ParseUint(stored.Position, 10, 64)
	if err != nil {
		return seen{}, document.Errorf(document.IdentityMismatch,
			"the mark in index %s of Elasticsearch at %s holds the position %q: delete the document %q, then the index is compared with the log and completed",
			s.alias, s.where, stored.Position, markID)
	}
	return seen{
		Mark: store.Mark{ID: stored.ID, Position: position}, known: true, index: true, written: true, seq: answer.Seq, term: answer.Term,
	}, nil
}

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

// seen is the mark as this process last read or wrote it. SetMark replaces
// that one and no other.
type seen struct {
	store.Mark
	known     bool // that the rest holds
	index     bool // there is an index
	written   bool // there is a mark in it
	seq, term int  // of the mark's document
}

// Mark implements store.Store. Server, index and mark are read anew each time.
func (s *Store) Mark(ctx context.Context) (store.Mark, error) {
	unlock, err := s.marks.lock(ctx)
	if err != nil {
		return store.Mark{}, err
	}
	defer unlock()
	err = s.readMark(ctx)
	return s.seen.Mark, err
}

// readMark sets s.seen; s.marks is held.
func (s *Store) readMark(ctx context.Context) error {
	s.seen = seen{}
	found, err := s.check(ctx)
	if err != nil || !found {
		s.trust.doubt()
		s.seen.known = err == nil
		return err
	}
	var answer struct {
		Source markDoc `json:"_source"`
		Seq    int     `json:"_seq_no"`
		Term   int     `json:"_primary_term"`
	}
	err = s.do(ctx, esapi.GetRequest{Index: s.alias, DocumentID: markID}, &answer)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusNotFound {
		s.seen = seen{known: true, index: r.Type == ""} // a type: the index went away just now
		return nil
	}
	if err != nil {
		return s.explain(ctx, err)
	}
	stored := answer.Source.Mark
	position, err := strconv.ParseUint(stored.Position, 10, 64)
	if err != nil {
		return document.Errorf(document.IdentityMismatch,
			"the mark in index %s of Elasticsearch at %s holds the position %q: delete the document %q, then the index is compared with the log and completed",
			s.alias, s.where, stored.Position, markID)
	}
	s.seen = seen{
		Mark: store.Mark{ID: stored.ID, Position: position}, known: true, index: true, written: true, seq: answer.Seq, term: answer.Term,
	}
	return nil
}

// SetMark implements store.Store. An absent index is created for a mark at
// position 0 only: at a later one it was deleted meanwhile, and an empty index
// would claim to be complete. For the same reason the mark replaces the one
// that this Store read or wrote last, or one with the same ID: where another
// process wrote another ID since, the error is document.Conflict, and Mark
// tells what is there.
func (s *Store) SetMark(ctx context.Context, m store.Mark) error {
	unlock, err := s.marks.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if !s.seen.known {
		if err := s.readMark(ctx); err != nil {
			return err
		}
	}
	for {
		if !s.seen.index {
			if m.Position > 0 {
				s.seen = seen{}
				return s.absent()
			}
			if err := s.create(ctx); err != nil {
				s.seen = seen{}
				return err
			}
			s.seen.index = true
		}
		err := s.writeMark(ctx, m)
		var r *refusal
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &r) || r.Status != http.StatusConflict:
			s.seen = seen{}
			return s.explain(ctx, err)
		}
		if err := s.readMark(ctx); err != nil {
			return err
		}
		if s.seen.ID != m.ID {
			return document.Errorf(document.Conflict, "the mark in index %s of Elasticsearch at %s was changed by another process: read it again", s.alias, s.where)
		}
	}
}

// writeMark replaces the mark that was seen; s.marks is held.
func (s *Store) writeMark(ctx context.Context, m store.Mark) error {
	var doc markDoc
	doc.Mark.ID, doc.Mark.Position = m.ID, strconv.FormatUint(m.Position, 10)
	alias := true
	r := esapi.IndexRequest{Index: s.alias, DocumentID: markID, Body: jsonBody(doc), RequireAlias: &alias}
	if s.seen.written {
		r.IfSeqNo, r.IfPrimaryTerm = &s.seen.seq, &s.seen.term
	} else {
		r.OpType = "create"
	}
	var answer struct {
		Seq  int `json:"_seq_no"`
		Term int `json:"_primary_term"`
	}
	if err := s.do(ctx, r, &answer); err != nil {
		return err
	}
	s.seen = seen{Mark: m, known: true, index: true, written: true, seq: answer.Seq, term: answer.Term}
	return nil
}

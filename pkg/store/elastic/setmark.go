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

// SetMark implements store.Store. A mark says what the index holds, so it is
// only written into the index that Mark spoke of last:
//
//   - An absent index is created for a mark at position 0 alone. At a later one
//     it was deleted meanwhile: document.Unavailable.
//   - Where the index was started again or exchanged since Mark, the error is
//     document.Unavailable until Mark is called.
//   - Where another process wrote a mark with another ID since, the error is
//     document.Conflict until Mark has told what is there. Whoever never called
//     Mark takes it that there is none.
func (s *Store) SetMark(ctx context.Context, mark store.Mark) error {
	unlock, err := s.marks.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	m := &s.marks
	if !m.known {
		now, err := s.readMark(ctx)
		if err != nil {
			return err
		}
		if m.life == "" {
			m.life = now
		}
	}
	for {
		if err := s.ensure(ctx, mark); err != nil {
			m.seen = seen{}
			return err
		}
		if m.written && m.ID != m.told && m.ID != mark.ID {
			return document.Errorf(document.Conflict, "the mark in index %s of Elasticsearch at %s was changed by another process: read it again", s.alias, s.where)
		}
		err := s.writeMark(ctx, mark)
		var r *refusal
		switch {
		case err == nil:
			m.told = mark.ID
			return nil
		case !errors.As(err, &r) || r.Status != http.StatusConflict:
			m.seen = seen{}
			return s.explain(ctx, err)
		}
		if _, err := s.readMark(ctx); err != nil {
			return err
		}
	}
}

// ensure sees to it that there is an index, and that it is still the one that
// Mark spoke of.
func (s *Store) ensure(ctx context.Context, mark store.Mark) error {
	m := &s.marks
	if m.index {
		now, err := s.readLife(ctx)
		if err != nil {
			return s.explain(ctx, err)
		}
		if now == m.life {
			return nil
		}
		s.trust.doubt()
		if now != "" {
			m.broken = true
			if err := s.ready(ctx); err != nil {
				return err
			}
			return s.restarted()
		}
	}
	m.seen = seen{known: true}
	if mark.Position > 0 {
		return s.absent()
	}
	if err := s.create(ctx); err != nil {
		return err
	}
	now, err := s.readLife(ctx)
	if err != nil {
		return s.explain(ctx, err)
	}
	m.life, m.index = now, true
	return nil
}

// writeMark replaces the mark that was seen.
func (s *Store) writeMark(ctx context.Context, mark store.Mark) error {
	m := &s.marks
	var doc markDoc
	doc.Mark.ID, doc.Mark.Position = mark.ID, strconv.FormatUint(mark.Position, 10)
	alias := true
	r := esapi.IndexRequest{Index: s.alias, DocumentID: markID, Body: jsonBody(doc), RequireAlias: &alias}
	if m.written {
		r.IfSeqNo, r.IfPrimaryTerm = &m.seq, &m.term
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
	m.seen = seen{Mark: mark, known: true, index: true, written: true, seq: answer.Seq, term: answer.Term}
	return nil
}

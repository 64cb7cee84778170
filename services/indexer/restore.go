package indexer

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/indexer/internal/verify"
)

// refillBatch is how many documents are refilled at once.
const refillBatch = 128

type docKey = verify.Document

// Restore brings documents in the store to what the input's heads ask for,
// whatever the store holds of them now, and corrects INDEXED where it says
// something else. It returns how many chunks it wrote.
//
// The order matters: the store's ids are read before the input's heads. An id
// that the store held and that a head read later does not list is dead, since
// ids never come back; deleting it cannot hurt a worker that runs meanwhile.
//
// A document that cannot be read is told to be made again, and is an error once
// the others are done.
func (s *side[E]) Restore(ctx context.Context, docs []docKey) (written int, err error) {
	var unread error
	for len(docs) > 0 {
		have, err := s.Holding(ctx, docs...)
		if err != nil {
			return written, err
		}
		inputs, err := s.heads(ctx, s.input, docs)
		if err != nil {
			return written, err
		}
		listed, err := s.heads(ctx, contract.StreamIndexed, docs)
		if err != nil {
			return written, err
		}
		var all []*work[E]
		for i, d := range docs {
			if inputs[i] == nil {
				continue // the log knows nothing of it any more
			}
			w, err := s.reopen(ctx, inputs[i], listed[i], have[d])
			if errors.Is(err, bus.ErrGone) {
				continue // replaced: the newer message does the work
			}
			if bus.IsUnread(err) {
				bus.TellUnread(s.bus, err)
				unread = fmt.Errorf("restore document %s of %s: %w", d.Doc, d.Source, err)
				continue
			}
			if err != nil {
				return written, fmt.Errorf("restore document %s of %s: %w", d.Doc, d.Source, err)
			}
			all = append(all, w)
		}
		n, again, err := s.restoreOnce(ctx, all)
		written += n
		if err != nil {
			return written, err
		}
		docs = again
	}
	return written, unread
}

func (s *side[E]) reopen(ctx context.Context, input, listed *bus.Msg, have []document.ChunkID) (*work[E], error) {
	in, err := contract.ParseOutputHead(input.Subject, input.Seq, input.Header)
	if err != nil {
		return nil, err
	}
	w, err := s.open(ctx, in, input)
	if err != nil {
		return nil, err
	}
	l, err := readListing(ctx, listed)
	if err != nil {
		return nil, err
	}
	p := &w.pass
	p.head = l
	p.put, p.del = minus(p.ids, have), minus(have, p.ids)
	p.step = stepWrite
	return w, nil
}

// restoreOnce returns the documents that somebody else changed meanwhile.
func (s *side[E]) restoreOnce(ctx context.Context, all []*work[E]) (written int, again []docKey, err error) {
	s.write(ctx, at(all, stepWrite))
	var speak []*work[E]
	for _, w := range at(all, stepPublish) {
		p := &w.pass
		written += len(p.put)
		same := p.holds(p.head.store, p.head.seq) && p.head.covers.Includes(p.covers) && p.covers.Includes(p.head.covers) &&
			len(minus(p.ids, p.head.ids)) == 0 && len(minus(p.head.ids, p.ids)) == 0
		if same {
			p.discard(p.del)
		} else {
			speak = append(speak, w)
		}
	}
	s.publish(ctx, speak)
	s.confirm(ctx, at(speak, stepConfirm))
	s.drop(ctx, at(all, stepDrop))
	for _, w := range all {
		if w.err != nil {
			return written, nil, w.err
		}
	}
	for _, w := range at(speak, stepRead) {
		again = append(again, docKey{Source: w.in.Source, Doc: w.in.Doc})
	}
	return written, again, nil
}

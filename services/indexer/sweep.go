package indexer

import (
	"context"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// sweep compares the store with INDEXED, document by document. Chunks that
// are listed nowhere are what a worker left behind that died between its
// write and its publish; chunks that are listed and missing were taken from
// the store behind freshet's back.
func (s *side[E]) sweep(ctx context.Context) (contract.SweepReply, error) {
	var total contract.SweepReply
	held := map[docKey][]document.ChunkID{}
	for ref, err := range s.list(ctx, store.Scope{}) {
		if err != nil {
			return total, err
		}
		k := docKey{Source: ref.Source, Doc: ref.Doc}
		held[k] = append(held[k], ref.ID)
		total.Compared++
	}
	// INDEXED is read after the store: what was written meanwhile is either
	// listed already, or wanted by the input's head.
	last, err := s.bus.LastSeq(ctx, contract.StreamIndexed)
	if err != nil {
		return total, err
	}
	table := s.bus.Outputs(contract.StreamIndexed)
	if err := table.Wait(ctx, last); err != nil {
		return total, err
	}
	docs := make([]docKey, 0, len(held))
	for k := range held {
		docs = append(docs, k)
	}
	table.Range(func(k bus.OutputKey, h contract.OutputHead) bool {
		d := docKey{Source: k.Source, Doc: k.Doc}
		if k.Generation == s.generation && k.Sink == s.sink && h.Count > 0 && held[d] == nil {
			docs = append(docs, d)
		}
		return true
	})
	total.Documents = len(docs)
	for batch := range slices.Chunk(docs, refillBatch) {
		r, _, err := s.sweepDocs(ctx, batch, held)
		s.counters.swept.Add(uint64(r.Removed))
		total.Removed += r.Removed
		total.Restored += r.Restored
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// sweepDocs compares documents, of which held was listed before, with INDEXED. It returns
// those that change or are being refilled, so that it could not compare all of them. What
// a failed batch left is not in its counts, since that is the batch's own work.
func (s *side[E]) sweepDocs(ctx context.Context, docs []docKey, held map[docKey][]document.ChunkID) (r contract.SweepReply, again []docKey, err error) {
	s.sweeping.Lock() // else two would count the same removal
	defer s.sweeping.Unlock()
	listed, err := s.heads(ctx, contract.StreamIndexed, docs)
	if err != nil {
		return r, nil, err
	}
	found := unlisted[E]{s, map[docKey][]document.ChunkID{}}
	var missing []docKey
	for i, d := range docs {
		l, err := readListing(ctx, listed[i])
		if err != nil {
			return r, nil, err
		}
		if l.store != "" && !s.Holds(l.store, l.seq) {
			again = append(again, d)
			continue // being refilled
		}
		if extra := minus(held[d], l.ids); len(extra) > 0 {
			found.ids[d] = extra
		}
		if len(minus(l.ids, held[d])) > 0 {
			missing = append(missing, d)
		}
	}
	changing, err := found.leaveWanted(ctx)
	again = append(again, changing...)
	if err == nil {
		err = found.leaveDropped(ctx)
	}
	if err != nil {
		return r, nil, err
	}
	back, err := found.remove(ctx)
	if err != nil {
		return r, nil, err
	}
	for d, ids := range found.ids {
		if s.unfinished.has(d) {
			s.counters.deleted.Add(uint64(len(ids)))
		} else {
			r.Removed += len(ids)
		}
	}
	if missing = append(missing, back...); len(missing) > 0 {
		r.Restored, err = s.Restore(ctx, missing)
		s.counters.restored.Add(uint64(r.Restored))
	}
	return r, again, err
}

// unlisted are the passages of documents that a side's store holds and INDEXED does not
// list.
type unlisted[E any] struct {
	*side[E]
	ids map[docKey][]document.ChunkID
}

// documents are those that have any.
func (s unlisted[E]) documents() []docKey { return slices.Collect(maps.Keys(s.ids)) }

// leave has ids left of a document.
func (s unlisted[E]) leave(d docKey, ids []document.ChunkID) {
	if s.ids[d] = ids; len(ids) == 0 {
		delete(s.ids, d)
	}
}

// leaveWanted takes out what is on its way to be listed, and all of documents that are
// replaced at this moment. It returns the documents of both.
func (s unlisted[E]) leaveWanted(ctx context.Context) (changing []docKey, err error) {
	docs := s.documents()
	if len(docs) == 0 {
		return nil, nil
	}
	inputs, err := s.heads(ctx, s.input, docs)
	if err != nil {
		return nil, err
	}
	for i, d := range docs {
		m := inputs[i]
		if m == nil {
			continue
		}
		in, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
		if err != nil {
			delete(s.ids, d) // somebody else wrote it: a sweep after its repair sees what is too much
			continue
		}
		w, err := s.open(ctx, in, m)
		if err != nil {
			delete(s.ids, d)
			changing = append(changing, d)
			continue
		}
		unwanted := minus(s.ids[d], w.pass.ids)
		if len(unwanted) < len(s.ids[d]) {
			changing = append(changing, d)
		}
		s.leave(d, unwanted)
	}
	return changing, nil
}

// leaveDropped takes out what the store does not hold any more when every batch that
// runs now has ended. A batch that published before INDEXED was read, and had not
// dropped yet what it replaced, has done so then; an id that is dropped never comes
// back.
func (s unlisted[E]) leaveDropped(ctx context.Context) error {
	docs := s.documents()
	if len(docs) == 0 {
		return nil
	}
	if err := s.running.wait(ctx); err != nil {
		return err
	}
	held, err := s.Holding(ctx, docs...)
	if err != nil {
		return err
	}
	for _, d := range docs {
		s.leave(d, minus(s.ids[d], minus(s.ids[d], held[d])))
	}
	return nil
}

// remove removes what is left from the store, and returns the documents for which one of
// them is listed again: an id that is dropped never comes back, but a log that has lost
// passages or listings has them made again as they were, and while they are not, they
// look like nobody's.
func (s unlisted[E]) remove(ctx context.Context) (back []docKey, err error) {
	docs := s.documents()
	if len(docs) == 0 {
		return nil, nil
	}
	if !skipSweep {
		if err := s.Remove(ctx, slices.Concat(slices.Collect(maps.Values(s.ids))...)); err != nil {
			return nil, err
		}
	}
	// A batch that wrote before the removal has published then.
	if err := s.running.wait(ctx); err != nil {
		return nil, err
	}
	heads, err := s.heads(ctx, contract.StreamIndexed, docs)
	if err != nil {
		return nil, err
	}
	for i, d := range docs {
		l, err := readListing(ctx, heads[i])
		if err != nil {
			return nil, err
		}
		if len(minus(l.ids, s.ids[d])) < len(l.ids) {
			back = append(back, d)
		}
	}
	return back, nil
}

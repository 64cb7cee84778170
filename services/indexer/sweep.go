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
// those that change or are being refilled, so that it could not compare all of them. What a failed
// batch left is not in its counts, since that is the batch's own work.
func (s *side[E]) sweepDocs(ctx context.Context, docs []docKey, held map[docKey][]document.ChunkID) (r contract.SweepReply, again []docKey, err error) {
	s.sweeping.Lock() // else two would count the same removal
	defer s.sweeping.Unlock()
	listed, err := s.heads(ctx, contract.StreamIndexed, docs)
	if err != nil {
		return r, nil, err
	}
	orphans := map[docKey][]document.ChunkID{} // what is held and unlisted
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
			orphans[d] = extra
		}
		if len(minus(l.ids, held[d])) > 0 {
			missing = append(missing, d)
		}
	}
	changing, err := s.leaveWanted(ctx, orphans)
	again = append(again, changing...)
	if err == nil {
		err = s.leaveDropped(ctx, orphans)
	}
	if err != nil {
		return r, nil, err
	}
	back, err := s.removeOrphans(ctx, orphans)
	if err != nil {
		return r, nil, err
	}
	for d, ids := range orphans {
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

// leaveWanted takes out of orphans what is on its way to be listed, and all of documents
// that are replaced at this moment. It returns the documents of both.
func (s *side[E]) leaveWanted(ctx context.Context, orphans map[docKey][]document.ChunkID) (changing []docKey, err error) {
	docs := slices.Collect(maps.Keys(orphans))
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
			delete(orphans, d) // somebody else wrote it: a sweep after its repair sees what is too much
			continue
		}
		w, err := s.open(ctx, in, m)
		if err != nil {
			delete(orphans, d)
			changing = append(changing, d)
			continue
		}
		unwanted := minus(orphans[d], w.pass.ids)
		if len(unwanted) < len(orphans[d]) {
			changing = append(changing, d)
		}
		keep(orphans, d, unwanted)
	}
	return changing, nil
}

// keep has orphans hold ids of a document, and no document without any.
func keep(orphans map[docKey][]document.ChunkID, d docKey, ids []document.ChunkID) {
	if orphans[d] = ids; len(ids) == 0 {
		delete(orphans, d)
	}
}

// leaveDropped takes out of orphans what the store does not hold any more when every
// batch that runs now has ended. A batch that published before INDEXED was read, and
// had not dropped yet what it replaced, has done so then; an id that is dropped never
// comes back.
func (s *side[E]) leaveDropped(ctx context.Context, orphans map[docKey][]document.ChunkID) error {
	docs := slices.Collect(maps.Keys(orphans))
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
		keep(orphans, d, minus(orphans[d], minus(orphans[d], held[d])))
	}
	return nil
}

// removeOrphans removes them, and returns the documents for which one of them is listed
// again: an id that is dropped never comes back, but a log that has lost passages or
// listings has them made again as they were, and while they are not, they look like
// nobody's.
func (s *side[E]) removeOrphans(ctx context.Context, orphans map[docKey][]document.ChunkID) (back []docKey, err error) {
	docs := slices.Collect(maps.Keys(orphans))
	if len(docs) == 0 {
		return nil, nil
	}
	if !skipSweep {
		if err := s.Remove(ctx, slices.Concat(slices.Collect(maps.Values(orphans))...)); err != nil {
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
		if len(minus(l.ids, orphans[d])) < len(l.ids) {
			back = append(back, d)
		}
	}
	return back, nil
}

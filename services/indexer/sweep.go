package indexer

import (
	"context"
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
		r, err := s.sweepDocs(ctx, batch, held)
		s.counters.swept.Add(uint64(r.Removed))
		total.Removed += r.Removed
		total.Restored += r.Restored
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (s *side[E]) sweepDocs(ctx context.Context, docs []docKey, held map[docKey][]document.ChunkID) (contract.SweepReply, error) {
	var r contract.SweepReply
	listed, err := s.heads(ctx, contract.StreamIndexed, docs)
	if err != nil {
		return r, err
	}
	var orphans []document.ChunkID
	var suspicious []docKey // hold something unlisted
	var missing []docKey
	unlisted := map[docKey][]document.ChunkID{}
	for i, d := range docs {
		l, err := readListing(ctx, listed[i])
		if err != nil {
			return r, err
		}
		if l.store != "" && !s.Holds(l.store, l.seq) {
			continue // being refilled
		}
		if extra := minus(held[d], l.ids); len(extra) > 0 {
			suspicious = append(suspicious, d)
			unlisted[d] = extra
		}
		if len(minus(l.ids, held[d])) > 0 {
			missing = append(missing, d)
		}
	}
	if len(suspicious) > 0 {
		inputs, err := s.heads(ctx, s.input, suspicious)
		if err != nil {
			return r, err
		}
		for i, d := range suspicious {
			extra := unlisted[d]
			if m := inputs[i]; m != nil {
				in, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
				if err != nil {
					continue // somebody else wrote it: a sweep after its repair sees what is too much
				}
				w, err := s.open(ctx, in, m)
				if err != nil {
					continue // replaced at this moment: the next sweep sees it
				}
				extra = minus(extra, w.pass.ids) // on its way to be listed
			}
			orphans = append(orphans, extra...)
		}
	}
	if orphans, err = s.outlasting(ctx, suspicious, orphans); err != nil {
		return r, err
	}
	if len(orphans) > 0 {
		if !skipSweep {
			if err := s.Remove(ctx, orphans); err != nil {
				return r, err
			}
		}
		r.Removed = len(orphans)
		back, err := s.listedAgain(ctx, suspicious, orphans)
		if err != nil {
			return r, err
		}
		missing = append(missing, back...)
	}
	if len(missing) > 0 {
		n, err := s.Restore(ctx, missing)
		r.Restored = n
		s.counters.restored.Add(uint64(n))
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// listedAgain returns the documents for which an id is listed that was removed.
// An id that is dropped never comes back, but a log that has lost passages or
// listings has them made again as they were, and while they are not, they look
// like nobody's.
func (s *side[E]) listedAgain(ctx context.Context, docs []docKey, removed []document.ChunkID) ([]docKey, error) {
	// A batch that wrote before the removal has published then.
	if err := s.running.wait(ctx); err != nil {
		return nil, err
	}
	heads, err := s.heads(ctx, contract.StreamIndexed, docs)
	if err != nil {
		return nil, err
	}
	var out []docKey
	for i, d := range docs {
		l, err := readListing(ctx, heads[i])
		if err != nil {
			return nil, err
		}
		if len(minus(l.ids, removed)) < len(l.ids) {
			out = append(out, d)
		}
	}
	return out, nil
}

// outlasting returns those of ids that the store still holds for docs when
// every batch that runs now has ended. A batch that published before INDEXED
// was read, and had not dropped yet what it replaced, has done so then; an id
// that is dropped never comes back.
func (s *side[E]) outlasting(ctx context.Context, docs []docKey, ids []document.ChunkID) ([]document.ChunkID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := s.running.wait(ctx); err != nil {
		return nil, err
	}
	suspects := make(map[document.ChunkID]bool, len(ids))
	for _, id := range ids {
		suspects[id] = true
	}
	var out []document.ChunkID
	held, err := s.Holding(ctx, docs...)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		for _, id := range held[d] {
			if suspects[id] {
				out = append(out, id)
			}
		}
	}
	return out, nil
}

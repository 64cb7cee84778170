package indexer

import (
	"context"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

// look is a document as verify last saw it.
type look struct {
	docKey
	path    document.Path
	state   *judge.State
	verdict judge.Verdict
	first   []judge.Finding // before anything was repaired
	asked   bool            // the watcher was asked to take it up
	refused bool            // and could not
	reached int             // the furthest place of those that were wrong first
}

// looker looks at documents, in the head tables, at the leaders and in the
// stores. It belongs to one comparison.
type looker struct {
	svc    *Service
	bus    *bus.Bus
	source document.Source                     // the only one, "" for all
	views  map[document.Source][]document.View // that FILES has
}

// documents lists every document that any place knows of a generation.
func (x *looker) documents(ctx context.Context, sh *shelf) ([]docKey, error) {
	all := map[docKey]bool{}
	for _, held := range sh.held {
		for d := range held {
			all[d] = true
		}
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		table := x.bus.Outputs(stream)
		if err := table.Ready(ctx); err != nil {
			return nil, err
		}
		table.Range(func(k bus.OutputKey, _ contract.OutputHead) bool {
			if k.Generation == sh.generation && x.wants(k.Source) {
				all[docKey{k.Source, k.Doc}] = true
			}
			return true
		})
	}
	last, err := x.bus.LastSeq(ctx, contract.StreamFiles)
	if err == nil {
		err = x.bus.Files().Wait(ctx, last)
	}
	if err != nil {
		return nil, err
	}
	collection := contract.CollectionOf(sh.generation)
	x.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Doc == document.MarkerDoc || !x.wants(k.Source) {
			return true
		}
		if !slices.Contains(x.views[k.Source], k.View) {
			x.views[k.Source] = append(x.views[k.Source], k.View)
		}
		if h.Collection == collection {
			all[docKey{k.Source, k.Doc}] = true
		}
		return true
	})
	out := make([]docKey, 0, len(all))
	for d := range all {
		out = append(out, d)
	}
	return out, nil
}

func (x *looker) wants(s document.Source) bool { return x.source == "" || x.source == s }

// readByHeads reads a batch by the head tables, the cheapest way there is. What it
// finds may be out of date, and has to be looked at again.
func (x *looker) readByHeads(ctx context.Context, sh *shelf, docs []docKey) ([]*look, error) {
	chunks, err := x.bodies(ctx, sh, contract.StreamChunks, "", docs)
	if err != nil {
		return nil, err
	}
	vectors, err := x.bodies(ctx, sh, contract.StreamVectors, "", docs)
	if err != nil {
		return nil, err
	}
	indexed := map[document.Sink][]*judge.Output{}
	for _, sink := range document.Sinks {
		if indexed[sink], err = x.bodies(ctx, sh, contract.StreamIndexed, sink, docs); err != nil {
			return nil, err
		}
	}
	out := make([]*look, len(docs))
	for i, d := range docs {
		st := x.newState(sh, d)
		st.Chunks, st.Vectors = chunks[i], vectors[i]
		for _, view := range x.viewsOf(d, st.Chunks) {
			if h, ok := x.bus.Files().Get(bus.FileKey{Source: d.source, Doc: d.doc, View: view}); ok {
				st.Files[view] = h
			}
		}
		for _, sink := range document.Sinks {
			if st.Indexed[sink] = indexed[sink][i]; st.Indexed[sink] == nil {
				delete(st.Indexed, sink)
			}
			st.Held[sink] = judge.Held{Sum: sh.held[sink][d]}
		}
		st.Waits = func(contract.Stage, uint64) bool { return false }
		out[i] = &look{docKey: d, state: st, verdict: judge.Of(st)}
	}
	return out, nil
}

// again reads documents once more, one by one, from the streams' leaders and
// from the stores. backlog was taken after the look before; what that one had
// not seen counts as being on its way.
func (x *looker) again(ctx context.Context, sh *shelf, looks []*look, b backlog) error {
	for _, side := range sh.sides {
		if err := side.rest(ctx); err != nil {
			return err
		}
	}
	for _, l := range looks {
		before := l.state
		st := x.newState(sh, l.docKey)
		var err error
		if st.Chunks, err = x.leader(ctx, sh, contract.StreamChunks, "", l.docKey); err != nil {
			return err
		}
		if st.Vectors, err = x.leader(ctx, sh, contract.StreamVectors, "", l.docKey); err != nil {
			return err
		}
		for _, sink := range document.Sinks {
			out, err := x.leader(ctx, sh, contract.StreamIndexed, sink, l.docKey)
			if err != nil {
				return err
			}
			if out != nil {
				st.Indexed[sink] = out
			}
			held, err := sh.sides[sink].holding(ctx, l.docKey)
			if err != nil {
				return err
			}
			ids := held[l.docKey]
			st.Held[sink] = judge.Held{Sum: judge.SumOf(ids), IDs: ids, Full: true}
		}
		for _, view := range x.viewsOf(l.docKey, st.Chunks) {
			m, err := x.bus.LeaderLast(ctx, contract.StreamFiles, contract.FileSubject(l.source, l.doc, view))
			if err != nil {
				return err
			}
			if m == nil {
				continue
			}
			if h, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header); err == nil {
				st.Files[view] = h // else there is none
			}
		}
		st.Waits = func(stage contract.Stage, seq uint64) bool { return !known(before, stage, seq) || b.waits(stage, seq) }
		l.state, l.verdict = st, judge.Of(st)
	}
	return nil
}

// known reports whether a look had seen a message of a stage's input.
func known(st *judge.State, stage contract.Stage, seq uint64) bool {
	in := st.Chunks
	switch stage {
	case contract.StageChunker:
		for _, h := range st.Files {
			if uint64(h.Version) == seq {
				return true
			}
		}
		return false
	case contract.StageVector:
		in = st.Vectors
	}
	return in != nil && in.Seq == seq
}

func (x *looker) newState(sh *shelf, d docKey) *judge.State {
	st := &judge.State{
		Collection: contract.CollectionOf(sh.generation), Files: map[document.View]contract.FileHead{},
		Indexed: map[document.Sink]*judge.Output{}, Held: map[document.Sink]judge.Held{},
		Dead: map[contract.Stage]contract.Covers{}, Settled: bus.PurgesOf(x.bus).Includes,
	}
	for _, stage := range contract.Stages {
		build := contract.BuildOf(sh.generation)
		if stage == contract.StageChunker {
			build = buildOf(x.svc, sh.generation)
		}
		if h, ok := x.bus.Dead().Get(bus.DeadKey{Stage: stage, Source: d.source, Doc: d.doc, Build: build}); ok {
			st.Dead[stage] = h.Covers
		}
	}
	return st
}

// viewsOf are the views in which a document may have a head.
func (x *looker) viewsOf(d docKey, chunks *judge.Output) []document.View {
	out := x.views[d.source]
	if chunks == nil {
		return out
	}
	for view := range chunks.Covers.All() {
		found := false
		for _, o := range x.views[d.source] {
			found = found || o == view
		}
		if !found {
			out = append(out[:len(out):len(out)], view)
		}
	}
	return out
}

func (sh *shelf) head(sink document.Sink, d docKey) contract.OutputHead {
	return contract.OutputHead{Generation: sh.generation, Sink: sink, Source: d.source, Doc: d.doc}
}

func (x *looker) bodies(ctx context.Context, sh *shelf, stream string, sink document.Sink, docs []docKey) ([]*judge.Output, error) {
	subjects := make([]string, len(docs))
	for i, d := range docs {
		subjects[i] = sh.head(sink, d).Subject(stream)
	}
	got, err := x.bus.GetLast(ctx, stream, subjects...)
	if err != nil {
		return nil, err
	}
	out := make([]*judge.Output, len(docs))
	for i, subject := range subjects {
		if out[i], err = x.output(ctx, sh, stream, sink, got[subject]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (x *looker) leader(ctx context.Context, sh *shelf, stream string, sink document.Sink, d docKey) (*judge.Output, error) {
	m, err := x.bus.LeaderLast(ctx, stream, sh.head(sink, d).Subject(stream))
	if err != nil {
		return nil, err
	}
	return x.output(ctx, sh, stream, sink, m)
}

// output reads a message; a body that cannot be read is a finding, no error.
func (x *looker) output(ctx context.Context, sh *shelf, stream string, sink document.Sink, m *bus.Msg) (*judge.Output, error) {
	if m == nil {
		return nil, nil
	}
	out := &judge.Output{}
	if out.OutputHead, out.Broken = contract.ParseOutputHead(m.Subject, m.Seq, m.Header); out.Broken != nil {
		return out, nil //nolint:nilerr // It is a finding.
	}
	head := out.OutputHead
	raw, err := m.Body(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		out.Broken = fmt.Errorf("its body cannot be had: %w", err)
		return out, nil
	}
	switch stream {
	case contract.StreamChunks:
		out.IDs, out.Broken = chunkIDs(m, raw)
	case contract.StreamVectors:
		w, err := decodeVectors(head, m.Header.Get, raw)
		out.IDs, out.Bare, out.Broken = w.ids, w.bare, err
	default:
		var body contract.IndexedBody
		_, out.Broken = contract.SplitBody(m.Header, raw, &body)
		out.IDs, out.Bare = body.IDs, body.Bare
		out.Holds = sh.sides[sink].holds(head.Store, head.Seq)
	}
	return out, nil
}

// chunkIDs lists the passages of a CHUNKS message, each once.
func chunkIDs(m *bus.Msg, raw []byte) ([]document.ChunkID, error) {
	body, _, err := contract.SplitChunks(m.Header, raw)
	if err != nil {
		return nil, err
	}
	var ids []document.ChunkID
	seen := map[document.ChunkID]bool{}
	for _, c := range body.Contents {
		for k := range c.Chunks {
			if id := c.Chunks[k].ID; !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

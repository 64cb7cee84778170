package verify

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
	Document
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
	*Deps
	source document.Source                     // the only one, "" for all
	views  map[document.Source][]document.View // that FILES has
}

// documents lists every document that any place knows of a generation.
func (x *looker) documents(ctx context.Context, g *generation) ([]Document, error) {
	all := map[Document]bool{}
	for _, held := range g.held {
		for d := range held {
			all[d] = true
		}
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		table := x.Bus.Outputs(stream)
		if err := table.Ready(ctx); err != nil {
			return nil, err
		}
		table.Range(func(k bus.OutputKey, _ contract.OutputHead) bool {
			if k.Generation == g.name && x.wants(k.Source) {
				all[Document{Source: k.Source, Doc: k.Doc}] = true
			}
			return true
		})
	}
	last, err := x.Bus.LastSeq(ctx, contract.StreamFiles)
	if err == nil {
		err = x.Bus.Files().Wait(ctx, last)
	}
	if err != nil {
		return nil, err
	}
	collection := contract.CollectionOf(g.name)
	x.Bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Doc == document.MarkerDoc || !x.wants(k.Source) {
			return true
		}
		if !slices.Contains(x.views[k.Source], k.View) {
			x.views[k.Source] = append(x.views[k.Source], k.View)
		}
		if h.Collection.In(g.collections) == collection {
			all[Document{Source: k.Source, Doc: k.Doc}] = true
		}
		return true
	})
	out := make([]Document, 0, len(all))
	for d := range all {
		out = append(out, d)
	}
	return out, nil
}

func (x *looker) wants(s document.Source) bool { return x.source == "" || x.source == s }

// readByHeads reads a batch by the head tables, the cheapest way there is. What it
// finds may be out of date, and has to be looked at again.
func (x *looker) readByHeads(ctx context.Context, g *generation, docs []Document) ([]*look, error) {
	chunks, err := x.bodies(ctx, g, contract.StreamChunks, "", docs)
	if err != nil {
		return nil, err
	}
	vectors, err := x.bodies(ctx, g, contract.StreamVectors, "", docs)
	if err != nil {
		return nil, err
	}
	indexed := map[document.Sink][]*judge.Output{}
	for _, sink := range document.Sinks {
		if indexed[sink], err = x.bodies(ctx, g, contract.StreamIndexed, sink, docs); err != nil {
			return nil, err
		}
	}
	out := make([]*look, len(docs))
	for i, d := range docs {
		st := x.newState(g, d)
		st.Chunks, st.Vectors = chunks[i], vectors[i]
		for _, view := range x.viewsOf(d, st.Chunks) {
			if h, ok := x.Bus.Files().Get(bus.FileKey{Source: d.Source, Doc: d.Doc, View: view}); ok {
				st.Files[view] = h
			}
		}
		for _, sink := range document.Sinks {
			if st.Indexed[sink] = indexed[sink][i]; st.Indexed[sink] == nil {
				delete(st.Indexed, sink)
			}
			st.Held[sink] = judge.Held{Sum: g.held[sink][d]}
		}
		st.Waits = func(contract.Stage, uint64) bool { return false }
		out[i] = &look{Document: d, state: st, verdict: judge.Of(st)}
	}
	return out, nil
}

// again reads documents once more, one by one, from the streams' leaders and
// from the stores. backlog was taken after the look before; what that one had
// not seen counts as being on its way.
func (x *looker) again(ctx context.Context, g *generation, looks []*look, b backlog) error {
	for _, side := range g.stores {
		if err := side.Rest(ctx); err != nil {
			return err
		}
	}
	for _, l := range looks {
		before := l.state
		st := x.newState(g, l.Document)
		var err error
		if st.Chunks, err = x.leader(ctx, g, contract.StreamChunks, "", l.Document); err != nil {
			return err
		}
		if st.Vectors, err = x.leader(ctx, g, contract.StreamVectors, "", l.Document); err != nil {
			return err
		}
		for _, sink := range document.Sinks {
			out, err := x.leader(ctx, g, contract.StreamIndexed, sink, l.Document)
			if err != nil {
				return err
			}
			if out != nil {
				st.Indexed[sink] = out
			}
			held, err := g.stores[sink].Holding(ctx, l.Document)
			if err != nil {
				return err
			}
			ids := held[l.Document]
			st.Held[sink] = judge.Held{Sum: judge.SumOf(ids), IDs: ids, Full: true}
		}
		for _, view := range x.viewsOf(l.Document, st.Chunks) {
			m, err := x.Bus.LeaderLast(ctx, contract.StreamFiles, contract.FileSubject(l.Source, l.Doc, view))
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

func (x *looker) newState(g *generation, d Document) *judge.State {
	st := &judge.State{
		Collection: contract.CollectionOf(g.name), Collections: g.collections, Files: map[document.View]contract.FileHead{},
		Indexed: map[document.Sink]*judge.Output{}, Held: map[document.Sink]judge.Held{},
		Dead: map[contract.Stage]contract.Covers{}, Settled: bus.PurgesOf(x.Bus).Includes,
	}
	for _, stage := range contract.Stages {
		build := contract.BuildOf(g.name)
		if stage == contract.StageChunker {
			_, build = x.Chunker(g.name)
		}
		if h, ok := x.Bus.Dead().Get(bus.DeadKey{Stage: stage, Source: d.Source, Doc: d.Doc, Build: build}); ok {
			st.Dead[stage] = h.Covers
		}
	}
	return st
}

// viewsOf are the views in which a document may have a head.
func (x *looker) viewsOf(d Document, chunks *judge.Output) []document.View {
	out := x.views[d.Source]
	if chunks == nil {
		return out
	}
	for view := range chunks.Covers.All() {
		found := false
		for _, o := range x.views[d.Source] {
			found = found || o == view
		}
		if !found {
			out = append(out[:len(out):len(out)], view)
		}
	}
	return out
}

func (g *generation) head(sink document.Sink, d Document) contract.OutputHead {
	return contract.OutputHead{Generation: g.name, Sink: sink, Source: d.Source, Doc: d.Doc}
}

func (x *looker) bodies(ctx context.Context, g *generation, stream string, sink document.Sink, docs []Document) ([]*judge.Output, error) {
	subjects := make([]string, len(docs))
	for i, d := range docs {
		subjects[i] = g.head(sink, d).Subject(stream)
	}
	got, err := x.Bus.GetLast(ctx, stream, subjects...)
	if err != nil {
		return nil, err
	}
	out := make([]*judge.Output, len(docs))
	for i, subject := range subjects {
		if out[i], err = x.output(ctx, g, stream, sink, got[subject]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (x *looker) leader(ctx context.Context, g *generation, stream string, sink document.Sink, d Document) (*judge.Output, error) {
	m, err := x.Bus.LeaderLast(ctx, stream, g.head(sink, d).Subject(stream))
	if err != nil {
		return nil, err
	}
	return x.output(ctx, g, stream, sink, m)
}

// output reads a message; a body that cannot be read is a finding, no error.
func (x *looker) output(ctx context.Context, g *generation, stream string, sink document.Sink, m *bus.Msg) (*judge.Output, error) {
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
		out.IDs, _, out.Broken = g.stores[document.Lexical].Reads(head, m.Header.Get, raw)
	case contract.StreamVectors:
		out.IDs, out.Bare, out.Broken = g.stores[document.Vector].Reads(head, m.Header.Get, raw)
	default:
		var body contract.IndexedBody
		_, out.Broken = contract.SplitBody(m.Header, raw, &body)
		out.IDs, out.Bare = body.IDs, body.Bare
		out.Holds = g.stores[sink].Holds(head.Store, head.Seq)
	}
	return out, nil
}

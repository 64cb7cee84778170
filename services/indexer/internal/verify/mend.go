package verify

import (
	"context"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

const (
	// mendPatience is how long a stage may take to make an output again before
	// the difference counts as not repaired. Each stage has as long.
	mendPatience = 20 * time.Second
	mendFirst    = 20 * time.Millisecond
	mendMost     = time.Second
)

// mender has made again what differs, and looks whether it was.
type mender struct {
	*looker
}

// mend has what differs made again, place by place in the order of the
// pipeline, and looks at it after each step. What is left in a look's verdict
// could not be mended.
func (m *mender) mend(ctx context.Context, g *generation, broken []*look) error {
	advance(broken)
	left := broken
	moved, wait := time.Now(), mendFirst
	for len(left) > 0 && time.Since(moved) < mendPatience {
		if err := m.act(ctx, g, left); err != nil {
			return err
		}
		if !pause(ctx, wait) {
			return ctx.Err()
		}
		b, err := m.backlog(ctx, g.name)
		if err != nil {
			return err
		}
		if err := m.again(ctx, g, left, b); err != nil {
			return err
		}
		wait = min(2*wait, mendMost)
		still := left[:0:0]
		for _, l := range left {
			if !clean(l) && !l.refused {
				still = append(still, l)
			}
		}
		if advance(broken) {
			moved, wait = time.Now(), mendFirst
		}
		left = still
	}
	return nil
}

// places are where something may be wrong, in the order of the pipeline.
var places = []contract.VerifyStage{contract.VerifyFiles, contract.VerifyChunks, contract.VerifyVectors, contract.VerifyIndexed}

// advance reports whether a document has come further than it ever was, by the
// first place that is wrong, and notes it. While one is on its way it is nowhere.
func advance(looks []*look) (further bool) {
	for _, l := range looks {
		if l.verdict.Pending {
			continue
		}
		first := len(places) // the stores
		for _, f := range l.verdict.Found {
			if i := slices.Index(places, f.Stage); i >= 0 {
				first = min(first, i)
			}
		}
		if clean(l) {
			first++
		}
		if first > l.reached {
			l.reached, further = first, true
		}
	}
	return further
}

// act takes one step for each document: the first place that is wrong has to
// be right before anything can be said of those behind it.
func (m *mender) act(ctx context.Context, g *generation, looks []*look) error {
	lost := map[document.Source][]lostView{}
	restore := map[document.Sink][]Document{}
	remove := map[document.Sink][]document.ChunkID{}
	for _, l := range looks {
		if l.verdict.Pending {
			continue
		}
		for _, f := range l.verdict.Found {
			switch f.Stage {
			case contract.VerifyFiles:
				if !l.asked {
					lost[l.Source] = append(lost[l.Source], lostView{l, contract.LostDocument{View: f.View, Path: l.pathOf()}})
				}
			case contract.VerifyChunks:
				if err := m.cutAgain(ctx, g, l, f); err != nil {
					return err
				}
			case contract.VerifyVectors:
				if err := m.embedAgain(ctx, g, l, f); err != nil {
					return err
				}
			default:
				gone, err := m.indexAgain(ctx, g, l, f)
				if err != nil {
					return err
				}
				if remove[f.Sink] = append(remove[f.Sink], gone...); gone == nil {
					restore[f.Sink] = append(restore[f.Sink], l.Document)
				}
			}
		}
		l.asked = true
	}
	for source, views := range lost {
		for some := range slices.Chunk(views, contract.LostAtOnce) {
			m.takeUp(ctx, source, some)
		}
	}
	for sink, ids := range remove {
		if len(ids) == 0 {
			continue
		}
		if err := g.stores[sink].Remove(ctx, ids); err != nil {
			return err
		}
	}
	// After the removals: an entry may have stood under another document.
	for sink, docs := range restore {
		if _, err := g.stores[sink].Restore(ctx, docs); err != nil {
			return err
		}
	}
	return nil
}

// lostView is a view of a document of which FILES has no head.
type lostView struct {
	*look
	lost contract.LostDocument
}

// takeUp has the watcher write what FILES lacks. Where it cannot, the
// difference stays, and nobody waits for it: the log alone had a document that
// was put by request.
func (m *mender) takeUp(ctx context.Context, source document.Source, views []lostView) {
	req := contract.VerifyFilesRequest{Source: source, Repair: true}
	for _, l := range views {
		req.Lost = append(req.Lost, l.lost)
	}
	err := client.VerifyFiles.Each(ctx, m.Bus.Conn(), req, func(contract.VerifyPart) error { return nil })
	if err == nil {
		return
	}
	m.Log.Warn("documents that the log lost are not taken up", "source", source, "documents", len(views), "error", err)
	for _, l := range views {
		l.refused = true
	}
}

// cutAgain has the chunker make the passages of a document again.
func (m *mender) cutAgain(ctx context.Context, g *generation, l *look, f judge.Finding) error {
	if l.state.Chunks != nil && (f.What == contract.FaultUnreadable || l.ahead()) {
		if err := m.purge(ctx, contract.StreamChunks, g.head("", l.Document)); err != nil {
			return err
		}
	}
	for view := range l.state.Files {
		m.Bus.Redo(contract.StageChunker, contract.FileSubject(l.Source, l.Doc, view))
	}
	return nil
}

// ahead reports whether CHUNKS covers what FILES does not hold: the log went
// back.
func (l *look) ahead() bool {
	for view, h := range l.state.Files {
		c := l.state.Chunks.Covers.At(view)
		if c.Version > h.Version || c.Version == h.Version && c.Hash != h.Hash {
			return true
		}
	}
	return false
}

// embedAgain has the embedder make the vectors of a document again; those that
// VECTORS has for its passages are kept.
func (m *mender) embedAgain(ctx context.Context, g *generation, l *look, f judge.Finding) error {
	head := g.head("", l.Document)
	if f.What == contract.FaultExtra || f.What == contract.FaultUnreadable {
		if err := m.purge(ctx, contract.StreamVectors, head); err != nil {
			return err
		}
	}
	if l.state.Chunks != nil {
		m.Bus.Redo(contract.StageEmbed, head.Subject(contract.StreamChunks))
	}
	return nil
}

// indexAgain has a sink brought to what its input asks for. It returns what
// has to go from the store where there is no input.
func (m *mender) indexAgain(ctx context.Context, g *generation, l *look, f judge.Finding) (gone []document.ChunkID, err error) {
	in := l.state.Chunks
	if f.Sink == document.Vector {
		in = l.state.Vectors
	}
	if f.Stage == contract.VerifyIndexed && (f.What == contract.FaultExtra || f.What == contract.FaultUnreadable) {
		if err := m.purge(ctx, contract.StreamIndexed, g.head(f.Sink, l.Document)); err != nil {
			return nil, err
		}
	}
	if in != nil {
		return nil, nil
	}
	return append([]document.ChunkID{}, l.state.Held[f.Sink].IDs...), nil
}

func (m *mender) purge(ctx context.Context, stream string, h contract.OutputHead) error {
	key := bus.OutputKey{Generation: h.Generation, Sink: h.Sink, Source: h.Source, Doc: h.Doc}
	return bus.PurgesOf(m.Bus).Output(ctx, stream, key, h.Subject(stream))
}

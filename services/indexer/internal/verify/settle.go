package verify

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

const (
	// revisitMost is how many documents on their way are waited for; more are a
	// bulk load, which may take its time.
	revisitMost = 1000
	// revisitPatience is how long they may stay as they are, and revisitPause
	// the time between two looks.
	revisitPatience = 5 * time.Second
	revisitPause    = 100 * time.Millisecond
)

// batch compares documents, and reports or mends what differs. Those that are
// on their way are left for later.
func (v *verification) batch(ctx context.Context, g *generation, docs []Document) error {
	looks, err := v.readByHeads(ctx, g, docs)
	if err != nil {
		return err
	}
	var odd []*look
	for _, l := range looks {
		if clean(l) {
			v.count(g, l)
		} else {
			odd = append(odd, l)
		}
	}
	return v.examine(ctx, g, odd)
}

// examine looks again at what looked odd.
func (v *verification) examine(ctx context.Context, g *generation, looks []*look) error {
	if len(looks) == 0 {
		return nil
	}
	b, err := v.backlog(ctx, g.name)
	if err != nil {
		return err
	}
	if err := v.again(ctx, g, looks, b); err != nil {
		return err
	}
	var broken []*look
	for _, l := range looks {
		switch {
		case l.verdict.Pending:
			g.later = append(g.later, l)
		case clean(l):
			v.count(g, l)
		default:
			l.first = l.verdict.Found
			broken = append(broken, l)
		}
	}
	return v.settle(ctx, g, broken)
}

// settle reports differences, after mending them if that is asked for.
func (v *verification) settle(ctx context.Context, g *generation, broken []*look) error {
	if v.req.Repair && len(broken) > 0 {
		if err := v.mender.mend(ctx, g, broken); err != nil {
			return err
		}
	}
	for _, l := range broken {
		mended := v.req.Repair && clean(l)
		for _, f := range l.first {
			if f.Stage == contract.VerifyFiles && v.reported[bus.FileKey{Source: l.Source, Doc: l.Doc, View: f.View}] {
				continue // the watcher has seen it from the other side
			}
			if err := v.tell.difference(l.difference(g.name, f, mended)); err != nil {
				return err
			}
		}
		v.count(g, l)
	}
	return nil
}

// revisit waits for what was on its way, as long as it moves.
func (v *verification) revisit(ctx context.Context, g *generation) error {
	moved := time.Now()
	for len(g.later) > 0 && len(g.later) <= revisitMost && time.Since(moved) < revisitPatience {
		if !pause(ctx, revisitPause) {
			return ctx.Err()
		}
		looks, before := g.later, len(g.later)
		g.later = nil
		if err := v.examine(ctx, g, looks); err != nil {
			return err
		}
		if len(g.later) < before {
			moved = time.Now()
		}
	}
	for _, l := range g.later {
		v.tell.sum.Pending++
		v.count(g, l)
	}
	g.later = nil
	return nil
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func clean(l *look) bool { return len(l.verdict.Found) == 0 && !l.verdict.Pending }

// count adds what a document has in each place.
func (v *verification) count(g *generation, l *look) {
	if l.verdict.Failed {
		v.tell.sum.Failed++
	}
	c, st := &g.counts, l.state
	if st.Chunks != nil && len(st.Chunks.IDs) > 0 {
		c.Documents++
		c.Chunks += len(st.Chunks.IDs)
	}
	if st.Vectors != nil {
		c.Vectors += len(st.Vectors.IDs)
		c.Bare += len(st.Vectors.Bare)
	}
	for _, sink := range document.Sinks {
		if out := st.Indexed[sink]; out != nil {
			c.Listed[sink] += len(out.IDs)
		}
		c.Held[sink] += st.Held[sink].Sum.N
	}
}

// difference says what a finding is, to whoever asked.
func (l *look) difference(g document.Generation, f judge.Finding, repaired bool) contract.Difference {
	d := contract.Difference{
		Stage: f.Stage, Generation: g, Sink: f.Sink, Source: l.Source, Doc: l.Doc, Path: l.pathOf(), View: f.View,
		What: f.What, Detail: f.Detail, IDs: f.IDs, Repaired: repaired,
	}
	if f.Stage == contract.VerifyFiles {
		d.Generation = ""
	}
	return d
}

// pathOf is the path of a document, where any place of the log knows it.
func (l *look) pathOf() document.Path {
	for _, h := range l.state.Files {
		return h.Path
	}
	for _, out := range []*judge.Output{l.state.Chunks, l.state.Vectors, l.state.Indexed[document.Lexical], l.state.Indexed[document.Vector]} {
		if out != nil && out.Path != "" {
			return out.Path
		}
	}
	return l.path
}

package indexer

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
func (v *verification) batch(ctx context.Context, sh *shelf, docs []docKey) error {
	looks, err := v.readByHeads(ctx, sh, docs)
	if err != nil {
		return err
	}
	var odd []*look
	for _, l := range looks {
		if clean(l) {
			v.count(sh, l)
		} else {
			odd = append(odd, l)
		}
	}
	return v.examine(ctx, sh, odd)
}

// examine looks again at what looked odd.
func (v *verification) examine(ctx context.Context, sh *shelf, looks []*look) error {
	if len(looks) == 0 {
		return nil
	}
	b, err := v.backlog(ctx, sh.generation)
	if err != nil {
		return err
	}
	if err := v.again(ctx, sh, looks, b); err != nil {
		return err
	}
	var broken []*look
	for _, l := range looks {
		switch {
		case l.verdict.Pending:
			sh.later = append(sh.later, l)
		case clean(l):
			v.count(sh, l)
		default:
			l.first = l.verdict.Found
			broken = append(broken, l)
		}
	}
	return v.settle(ctx, sh, broken)
}

// settle reports differences, after mending them if that is asked for.
func (v *verification) settle(ctx context.Context, sh *shelf, broken []*look) error {
	if v.req.Repair && len(broken) > 0 {
		if err := v.mender.mend(ctx, sh, broken); err != nil {
			return err
		}
	}
	for _, l := range broken {
		mended := v.req.Repair && clean(l)
		for _, f := range l.first {
			if f.Stage == contract.VerifyFiles && v.reported[bus.FileKey{Source: l.source, Doc: l.doc, View: f.View}] {
				continue // the watcher has seen it from the other side
			}
			if err := v.tell.difference(l.difference(sh.generation, f, mended)); err != nil {
				return err
			}
		}
		v.count(sh, l)
	}
	return nil
}

// revisit waits for what was on its way, as long as it moves.
func (v *verification) revisit(ctx context.Context, sh *shelf) error {
	moved := time.Now()
	for len(sh.later) > 0 && len(sh.later) <= revisitMost && time.Since(moved) < revisitPatience {
		if !pause(ctx, revisitPause) {
			return ctx.Err()
		}
		looks, before := sh.later, len(sh.later)
		sh.later = nil
		if err := v.examine(ctx, sh, looks); err != nil {
			return err
		}
		if len(sh.later) < before {
			moved = time.Now()
		}
	}
	for _, l := range sh.later {
		v.tell.sum.Pending++
		v.count(sh, l)
	}
	sh.later = nil
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
func (v *verification) count(sh *shelf, l *look) {
	if l.verdict.Failed {
		v.tell.sum.Failed++
	}
	c, st := &sh.counts, l.state
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
		Stage: f.Stage, Generation: g, Sink: f.Sink, Source: l.source, Doc: l.doc, Path: l.pathOf(), View: f.View,
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

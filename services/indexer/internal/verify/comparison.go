package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// verifyBatch is how many documents are read from the log at once: their
// passages and vectors are in memory together.
const verifyBatch = 128

// comparison begins a comparison, whose parts send takes.
func (d *Deps) comparison(req contract.VerifyRequest, send func(contract.VerifyPart) error) *verification {
	x := &looker{Deps: d, source: req.Source, views: map[document.Source][]document.View{}}
	return &verification{
		looker: x, mender: mender{looker: x}, req: req, reported: map[bus.FileKey]bool{},
		tell: telling{
			emit: send,
			sum:  contract.VerifySummary{Started: time.Now(), Only: req.Source, Repair: req.Repair, Sources: []contract.VerifySource{}, Generations: []contract.VerifyGeneration{}},
		},
	}
}

// verification is one comparison: it looks, has mended what differs where that is
// asked for, and tells.
type verification struct {
	*looker
	mender mender
	tell   telling
	req    contract.VerifyRequest
	// reported are the documents that the watcher found to differ.
	reported map[bus.FileKey]bool
}

func (v *verification) run(ctx context.Context) error {
	if err := v.audit(ctx); err != nil {
		return err
	}
	if err := v.unreadable(ctx); err != nil {
		return err
	}
	if err := v.sources(ctx); err != nil {
		return err
	}
	for _, g := range v.generations() {
		if err := v.generation(ctx, g); err != nil {
			if ctx.Err() != nil || v.tell.gone != nil {
				return fmt.Errorf("verify %s: %w", g.name, err)
			}
			// The other generations are compared all the same.
			v.Log.Warn("a generation is not compared", "generation", g.name, "error", err)
			g.counts.NotCompared = err.Error()
		}
		v.tell.sum.Generations = append(v.tell.sum.Generations, g.counts)
	}
	v.unopened()
	var err error
	if v.tell.sum.Losses, err = bus.LossesOf(v.Bus).All(ctx); err != nil {
		return err
	}
	return nil
}

// unopened notes the collections of which the log has documents and this
// process has no stores.
func (v *verification) unopened() {
	var open []document.Collection
	for _, g := range v.generations() {
		open = append(open, contract.CollectionOf(g.name))
	}
	closed := map[string]bool{}
	v.Bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if h.Op == contract.OpPut && v.wants(k.Source) && !slices.Contains(open, h.Collection.In(open)) {
			closed[string(h.Collection)] = true
		}
		return true
	})
	if len(closed) > 0 {
		v.tell.sum.NotCompared = fmt.Sprintf("the indexer that answers has no stores of the collection %s: see its configuration, and that it is the same for every process", strings.Join(slices.Sorted(maps.Keys(closed)), ", "))
	}
}

// audit makes sure that the head tables hold nothing that the log does not: a
// message that was purged leaves its head behind.
func (v *verification) audit(ctx context.Context) error {
	if err := v.tell.progress("log", 0, 0); err != nil {
		return err
	}
	if _, err := bus.AuditOf(v.Bus).Files(ctx); err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		if _, err := bus.AuditOf(v.Bus).Outputs(ctx, stream); err != nil {
			return err
		}
	}
	_, err := bus.AuditOf(v.Bus).Dead(ctx)
	return err
}

// generation compares what the log has of a generation, place by place, and with
// what the stores hold.
func (v *verification) generation(ctx context.Context, g *generation) error {
	if err := v.tally(ctx, g); err != nil {
		return err
	}
	docs, err := v.documents(ctx, g)
	if err != nil {
		return err
	}
	done := 0
	for batch := range slices.Chunk(docs, verifyBatch) {
		if err := v.batch(ctx, g, batch); err != nil {
			return err
		}
		done += len(batch)
		if err := v.tell.progress(string(g.name), done, len(docs)); err != nil {
			return err
		}
	}
	g.held = nil
	return v.revisit(ctx, g)
}

// tally reads all ids of the stores, and keeps a sum for each document.
func (v *verification) tally(ctx context.Context, g *generation) error {
	for _, sink := range document.Sinks {
		name := string(sink) + " store of " + string(g.name)
		if err := v.tell.progress(name, 0, 0); err != nil {
			return err
		}
		held, err := g.stores[sink].Tally(ctx, v.wants, func(n int) error { return v.tell.progress(name, n, 0) })
		if err != nil {
			return err
		}
		g.held[sink] = held
	}
	return nil
}

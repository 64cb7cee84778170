package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

// verifyBatch is how many documents are read from the log at once: their
// passages and vectors are in memory together.
const verifyBatch = 128

// Verify compares sources, log and stores, and repairs what differs if that is
// asked for. It sends differences as it finds them, and the summary last. One
// comparison runs at a time; a second one waits.
func (s *Service) Verify(ctx context.Context, req contract.VerifyRequest, send func(contract.VerifyPart) error) error {
	select {
	case s.verifying <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.verifying }()
	v := s.verification(req, send)
	failed := v.run(ctx)
	if failed != nil {
		if kind := document.KindOf(failed); ctx.Err() != nil || kind == document.NotFound || kind == document.InvalidRequest {
			return failed // nobody asked, or for nothing that there is
		}
		v.tell.sum.NotCompared = failed.Error()
	}
	v.tell.sum.Conclude()
	v.tell.sum.TookMS = time.Since(v.tell.sum.Started).Milliseconds()
	// One that broke off is kept, too: the last one says nothing any more.
	if err := bus.VerifiedOf(v.bus).Keep(ctx, v.tell.sum); err != nil {
		return errors.Join(failed, err)
	}
	if failed != nil {
		return failed
	}
	return send(contract.VerifyPart{Summary: &v.tell.sum})
}

func (s *Service) verification(req contract.VerifyRequest, send func(contract.VerifyPart) error) *verification {
	x := &looker{svc: s, bus: s.deps.Bus, source: req.Source, views: map[document.Source][]document.View{}}
	return &verification{
		looker: x, mender: mender{looker: x, log: s.deps.Log}, log: s.deps.Log, req: req, reported: map[bus.FileKey]bool{},
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
	log    *slog.Logger
	req    contract.VerifyRequest
	// reported are the documents that the watcher found to differ.
	reported map[bus.FileKey]bool
}

// shelf is one generation with its two stores.
type shelf struct {
	generation document.Generation
	sides      map[document.Sink]sideRunner
	held       map[document.Sink]map[docKey]judge.Sum
	counts     contract.VerifyGeneration
	later      []*look // documents that were on their way
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
	for _, sh := range v.svc.shelves() {
		if err := v.shelf(ctx, sh); err != nil {
			if ctx.Err() != nil || v.tell.gone != nil {
				return fmt.Errorf("verify %s: %w", sh.generation, err)
			}
			// The other generations are compared all the same.
			v.log.Warn("a generation is not compared", "generation", sh.generation, "error", err)
			sh.counts.NotCompared = err.Error()
		}
		v.tell.sum.Generations = append(v.tell.sum.Generations, sh.counts)
	}
	v.unopened()
	var err error
	if v.tell.sum.Losses, err = bus.LossesOf(v.bus).All(ctx); err != nil {
		return err
	}
	return nil
}

// unopened notes the collections of which the log has documents and this
// process has no stores.
func (v *verification) unopened() {
	open := map[document.Collection]bool{}
	for _, sh := range v.svc.shelves() {
		open[contract.CollectionOf(sh.generation)] = true
	}
	closed := map[string]bool{}
	v.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if h.Op == contract.OpPut && v.wants(k.Source) && !open[h.Collection] {
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
	if _, err := bus.AuditOf(v.bus).Files(ctx); err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		if _, err := bus.AuditOf(v.bus).Outputs(ctx, stream); err != nil {
			return err
		}
	}
	_, err := bus.AuditOf(v.bus).Dead(ctx)
	return err
}

// shelf compares what the log has of a generation, place by place, and with
// what the stores hold.
func (v *verification) shelf(ctx context.Context, sh *shelf) error {
	if err := v.tally(ctx, sh); err != nil {
		return err
	}
	docs, err := v.documents(ctx, sh)
	if err != nil {
		return err
	}
	done := 0
	for batch := range slices.Chunk(docs, verifyBatch) {
		if err := v.batch(ctx, sh, batch); err != nil {
			return err
		}
		done += len(batch)
		if err := v.tell.progress(string(sh.generation), done, len(docs)); err != nil {
			return err
		}
	}
	sh.held = nil
	return v.revisit(ctx, sh)
}

// tally reads all ids of the stores, and keeps a sum for each document.
func (v *verification) tally(ctx context.Context, sh *shelf) error {
	for _, sink := range document.Sinks {
		name := string(sink) + " store of " + string(sh.generation)
		if err := v.tell.progress(name, 0, 0); err != nil {
			return err
		}
		held, err := sh.sides[sink].tally(ctx, v.wants, func(n int) error { return v.tell.progress(name, n, 0) })
		if err != nil {
			return err
		}
		sh.held[sink] = held
	}
	return nil
}

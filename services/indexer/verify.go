package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
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
		v.sum.NotCompared = failed.Error()
	}
	v.sum.Conclude()
	v.sum.TookMS = time.Since(v.sum.Started).Milliseconds()
	// One that broke off is kept, too: the last one says nothing any more.
	if err := v.bus.Verified().Keep(ctx, v.sum); err != nil {
		return errors.Join(failed, err)
	}
	if failed != nil {
		return failed
	}
	return send(contract.VerifyPart{Summary: &v.sum})
}

func (s *Service) verification(req contract.VerifyRequest, send func(contract.VerifyPart) error) *verification {
	return &verification{
		svc: s, bus: s.deps.Bus, log: s.deps.Log, req: req, emit: send,
		views: map[document.Source][]document.View{}, reported: map[bus.FileKey]bool{},
		sum: contract.VerifySummary{Started: time.Now(), Only: req.Source, Repair: req.Repair, Sources: []contract.VerifySource{}, Generations: []contract.VerifyGeneration{}},
	}
}

// verification is one comparison.
type verification struct {
	svc *Service
	bus *bus.Bus
	log *slog.Logger
	req contract.VerifyRequest
	sum contract.VerifySummary

	mu    sync.Mutex // of emit and gone
	emit  func(contract.VerifyPart) error
	told  time.Time
	views map[document.Source][]document.View // that FILES has
	// reported are the documents that the watcher found to differ.
	reported map[bus.FileKey]bool
	gone     error // of who asked: it takes no more parts
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
			if ctx.Err() != nil || v.gone != nil {
				return fmt.Errorf("verify %s: %w", sh.generation, err)
			}
			// The other generations are compared all the same.
			v.log.Warn("a generation is not compared", "generation", sh.generation, "error", err)
			sh.counts.NotCompared = err.Error()
		}
		v.sum.Generations = append(v.sum.Generations, sh.counts)
	}
	v.unopened()
	var err error
	if v.sum.Losses, err = v.bus.Losses().All(ctx); err != nil {
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
		v.sum.NotCompared = fmt.Sprintf("the indexer that answers has no stores of the collection %s: see its configuration, and that it is the same for every process", strings.Join(slices.Sorted(maps.Keys(closed)), ", "))
	}
}

// audit makes sure that the head tables hold nothing that the log does not: a
// message that was purged leaves its head behind.
func (v *verification) audit(ctx context.Context) error {
	if err := v.progress("log", 0, 0); err != nil {
		return err
	}
	if _, err := v.bus.Audit().Files(ctx); err != nil {
		return err
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		if _, err := v.bus.Audit().Outputs(ctx, stream); err != nil {
			return err
		}
	}
	_, err := v.bus.Audit().Dead(ctx)
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
		if err := v.progress(string(sh.generation), done, len(docs)); err != nil {
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
		if err := v.progress(name, 0, 0); err != nil {
			return err
		}
		held, err := sh.sides[sink].tally(ctx, v.wants, func(n int) error { return v.progress(name, n, 0) })
		if err != nil {
			return err
		}
		sh.held[sink] = held
	}
	return nil
}

// documents lists every document that any place knows of a generation.
func (v *verification) documents(ctx context.Context, sh *shelf) ([]docKey, error) {
	all := map[docKey]bool{}
	for _, held := range sh.held {
		for d := range held {
			all[d] = true
		}
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		table := v.bus.Outputs(stream)
		if err := table.Ready(ctx); err != nil {
			return nil, err
		}
		table.Range(func(k bus.OutputKey, _ contract.OutputHead) bool {
			if k.Generation == sh.generation && v.wants(k.Source) {
				all[docKey{k.Source, k.Doc}] = true
			}
			return true
		})
	}
	last, err := v.bus.LastSeq(ctx, contract.StreamFiles)
	if err == nil {
		err = v.bus.Files().Wait(ctx, last)
	}
	if err != nil {
		return nil, err
	}
	collection := contract.CollectionOf(sh.generation)
	v.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Doc == document.MarkerDoc || !v.wants(k.Source) {
			return true
		}
		if !slices.Contains(v.views[k.Source], k.View) {
			v.views[k.Source] = append(v.views[k.Source], k.View)
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

func (v *verification) wants(s document.Source) bool { return v.req.Source == "" || v.req.Source == s }

func (v *verification) send(p contract.VerifyPart) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gone == nil {
		v.gone = v.emit(p)
	}
	return v.gone
}

// difference counts and tells of a difference.
func (v *verification) difference(d contract.Difference) error {
	v.sum.Differences++
	if d.Repaired {
		v.sum.Repaired++
	}
	return v.send(contract.VerifyPart{Difference: &d})
}

// tellEvery is the time between two reports of progress.
const tellEvery = 500 * time.Millisecond

func (v *verification) progress(doing string, done, total int) error {
	if now := time.Now(); done == 0 || done == total || now.Sub(v.told) > tellEvery {
		v.told = now
		return v.send(contract.VerifyPart{Progress: &contract.VerifyProgress{Doing: doing, Done: done, Total: total}})
	}
	return nil
}

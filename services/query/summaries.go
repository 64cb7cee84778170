package query

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/answers"
)

const (
	// summariesCoalesce is how long changes wait for others that are looked at with them,
	// and summariesAgain the pause before what could not be made is tried again.
	summariesCoalesce = 200 * time.Millisecond
	summariesAgain    = 5 * time.Second
	// summariesPatience is the longest pause behind a failure of the model.
	summariesPatience = 5 * time.Minute
)

// summarizing has a model summarize the passages of all documents.
type summarizing struct {
	service *Service
	cfg     config.Answer
	model   answers.Model // nil: nothing is made, and what there is goes with its passages
	by      string
}

func newSummarizing(s *Service, cfg config.Answer) (summarizing, error) {
	t := summarizing{service: s, cfg: cfg, by: cfg.Model + " " + answers.SummaryRules}
	if cfg.Summaries == 0 {
		return t, nil
	}
	cfg.MaxTokens = answers.SummaryTokens
	var err error
	t.model, err = answers.Open(cfg)
	return t, err
}

// run makes summaries in one process of all, until ctx ends.
func (t summarizing) run(ctx context.Context) error {
	return t.service.bus.RunAlone(ctx, contract.KeySummaries, func(ctx context.Context) error { return newSummarizer(t).run(ctx) })
}

// summarizer does it, what was written last first. It is one goroutine's but for what is
// under mu.
type summarizer struct {
	summarizing
	wake wake

	mu    sync.Mutex
	have  map[bus.DocKey]summarized // what the bucket has
	fresh map[bus.DocKey]bool       // of that, what was told since the bucket was read to its end
	read  bool                      // it was, once
	dirty map[bus.DocKey]bool       // documents whose passages may be others

	served []document.Generation // that dirty is complete for
	left   map[bus.DocKey]uint64 // documents that lack summaries, with their message of CHUNKS
	state  contract.SummariesState
	told   contract.SummariesState // the last that was kept
	toldAt time.Time
	closed time.Time     // until then a model that failed is not asked
	pause  time.Duration // behind its next failure
}

// summarized is which passages have their summaries; the zero value is those of none.
type summarized struct {
	chunks  uint64
	version document.Version
}

func newSummarizer(t summarizing) *summarizer {
	return &summarizer{
		summarizing: t, wake: newWake(),
		have: map[bus.DocKey]summarized{}, fresh: map[bus.DocKey]bool{}, dirty: map[bus.DocKey]bool{}, left: map[bus.DocKey]uint64{},
	}
}

func (t *summarizer) run(ctx context.Context) error {
	b := t.service.bus
	if err := t.load(ctx); err != nil {
		return err
	}
	if err := b.Outputs(contract.StreamChunks).Ready(ctx); err != nil {
		return err
	}
	following, end := context.WithCancel(ctx)
	var follows sync.WaitGroup
	follows.Go(func() { b.Bucket(contract.BucketSummaries).Follow(following, ">", t.hear, t.loaded) })
	defer follows.Wait()
	defer end()
	defer b.Outputs(contract.StreamChunks).Observe(func(k bus.OutputKey, _, _ contract.OutputHead) { t.touch(bus.DocKey{Source: k.Source, Doc: k.Doc}) })()
	t.wake.each(ctx, summariesCoalesce, summariesAgain, func(ctx context.Context) {
		if err := t.pass(ctx); err != nil && ctx.Err() == nil {
			t.service.log.Warn("summaries are looked at again", "error", err)
		}
	})
	return nil
}

// touch notes that the passages of a document may be others.
func (t *summarizer) touch(k bus.DocKey) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.have[k]; t.model == nil && !known {
		return
	}
	t.dirty[k] = true
	t.wake.poke()
}

// hear takes what the bucket has of a document.
func (t *summarizer) hear(e bus.Entry) {
	source, doc, _ := strings.Cut(e.Key, ".")
	k := bus.DocKey{Source: document.Source(source), Doc: document.DocID(doc)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Removed {
		delete(t.have, k)
		return
	}
	t.fresh[k] = true
	var record contract.Summaries
	if json.Unmarshal(e.Value, &record) != nil || record.By != t.by {
		record.Chunks = 0
	}
	t.have[k] = summarized{record.Chunks, record.Version}
	if !t.read {
		t.dirty[k] = true // it may be that of a document that is gone
	}
}

// loaded notes that the bucket was read to its end: what it has not told is not in it.
func (t *summarizer) loaded(int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k := range t.have {
		if !t.fresh[k] {
			delete(t.have, k)
			t.dirty[k] = true
		}
	}
	clear(t.fresh)
	t.read = true
	t.wake.poke()
}

// pass looks at what has changed, and has the model summarize what lacks a summary, until
// something changes.
func (t *summarizer) pass(ctx context.Context) error {
	generations := t.generations()
	changed := t.changed(generations)
	for i, k := range changed {
		if err := t.look(ctx, generations, k); err != nil {
			for _, k := range changed[i:] {
				t.touch(k)
			}
			return err
		}
	}
	if t.model != nil {
		if err := t.makeAll(ctx, generations); err != nil {
			return err
		}
	}
	return t.tell(ctx)
}

// changed returns the documents that are to be looked at: all where other generations
// answer than before.
func (t *summarizer) changed(generations []document.Generation) []bus.DocKey {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.read {
		return nil
	}
	if !slices.Equal(t.served, generations) {
		t.served = generations
		for k := range t.have {
			t.dirty[k] = true
		}
		if t.model != nil {
			t.service.bus.Outputs(contract.StreamChunks).Range(func(k bus.OutputKey, _ contract.OutputHead) bool {
				t.dirty[bus.DocKey{Source: k.Source, Doc: k.Doc}] = true
				return true
			})
		}
	}
	out := slices.Collect(maps.Keys(t.dirty))
	clear(t.dirty)
	return out
}

// generations are those that answer now. Nothing of the engine is held meanwhile: a model
// may take minutes.
func (t *summarizer) generations() []document.Generation {
	answers, done := t.service.turn()
	defer done()
	return answers.stores.Generations()
}

// look brings what is kept of a document to its passages as they are now, and notes
// whether it lacks summaries.
func (t *summarizer) look(ctx context.Context, generations []document.Generation, k bus.DocKey) error {
	delete(t.left, k)
	t.mu.Lock()
	had, known := t.have[k]
	t.mu.Unlock()
	head, live := t.shownOf(generations, k)
	switch {
	case !live && known:
		return t.forget(ctx, k)
	case !live || had == summarized{head.Seq, head.Covers.Newest()}:
		return nil
	}
	if t.model != nil {
		t.left[k] = head.Seq
	}
	if !known {
		return nil
	}
	_, err := t.sift(ctx, &head)
	return err
}

// shownOf is the output of CHUNKS that a document is searched by.
func (t *summarizer) shownOf(generations []document.Generation, k bus.DocKey) (head contract.OutputHead, live bool) {
	for _, g := range generations {
		h, ok := t.service.bus.Outputs(contract.StreamChunks).Get(bus.OutputKey{Generation: g, Source: k.Source, Doc: k.Doc})
		if ok && !h.Covers.Gone() && (!live || h.Seq > head.Seq) {
			head, live = h, true
		}
	}
	return head, live
}

// forget removes what is kept of a document.
func (t *summarizer) forget(ctx context.Context, k bus.DocKey) error {
	if err := t.service.bus.Bucket(contract.BucketSummaries).Forget(ctx, contract.SummariesKey(k.Source, k.Doc)); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.have, k)
	return nil
}

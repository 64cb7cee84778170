package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/micro"
	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// listedInStatus bounds the failures that a status lists.
const listedInStatus = 1000

func serveStatus(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{Name: "status", Subject: contract.SubjectStatus, Limit: 4},
		func(ctx context.Context, _ struct{}) (contract.StatusReply, error) { return s.Status(ctx) })
}

// Status tells the state of the whole system. Errors are *document.Error.
func (s *Service) Status(ctx context.Context) (contract.StatusReply, error) {
	answers, done := s.turn()
	defer done()
	if sight := s.bus.Visibility().Sight(rpc.Asker(ctx)); sight != nil {
		r, err := state{answers}.statusSeen(ctx, sight)
		r.Answers = s.answering.named()
		return r, typedOrNil(err)
	}
	r, err := state{answers}.status(ctx)
	if err != nil {
		return contract.StatusReply{}, typed(err)
	}
	r.Answers = s.answering.named()
	if r.Usage, err = s.usage.total(ctx); err != nil {
		return contract.StatusReply{}, typed(err)
	}
	if r.Summaries, err = s.summaries(ctx); err != nil {
		return contract.StatusReply{}, typed(err)
	}
	if answers.build.Embedder != "" {
		r.Serving = &answers.build
	}
	if others := rollout.Otherwise(s.configured.build, r.Reports); others != "" && s.configured.build.Embedder != "" {
		worsen(&r, "build: nothing takes the place of what answers are made of while processes are configured otherwise: "+others)
	}
	if answers != s.configured {
		r.Next = s.next()
		tellHeld(&r)
	}
	return r, nil
}

// state is that of the whole system, as an engine can tell it.
type state struct{ *engine }

func (s state) status(ctx context.Context) (contract.StatusReply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Deadline+s.cfg.ReportWait)
	defer cancel()
	r := contract.StatusReply{
		Version: s.cfg.Version, EndsIdleMS: s.cfg.EndsIdle.Milliseconds(), Embedder: s.models.named(), Generation: s.stores.Generations(),
		Sources: []contract.SourceInfo{}, Streams: map[string]contract.StreamInfo{},
		Skipped: map[string]int{}, Pending: map[contract.Stage]int{}, Reranker: s.learned.state(), KeptRanking: s.keeping.holds().kept, Trigrams: s.knownTexts(),
	}
	// The reports come first: what they say was scanned is then in the heads.
	var err error
	if r.Reports, err = s.reports(ctx); err != nil {
		return r, err
	}
	marks := s.stores.marks(ctx, s.bus.Records())
	last, err := s.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return r, err
	}
	if err := s.index.Reach(ctx, last); err != nil {
		return r, fmt.Errorf("wait for the log's heads: %w", err)
	}
	if r.Token, err = s.bus.Tokens().Of(ctx, last); err != nil {
		return r, err
	}
	if err := s.streams(ctx, r.Streams); err != nil {
		return r, err
	}
	watcher := addReports(&r)
	slow := !watcher
	if slow {
		watcher = s.addSlowWatcher(ctx, &r)
	}
	scanned := addSources(&r) && !slow
	in := watchedOnly(r.Sources, watcher)
	s.countHeads(&r, in)
	known := s.tellStores(&r, marks)
	waiting, err := s.countPending(ctx, &r, func(h *contract.FileHead) bool { return in(h.Source) })
	if err != nil {
		return r, err
	}
	var left int
	if r.Failed, left = s.failed(nil, func(h *contract.FileHead) bool { return in(h.Source) }, listedInStatus); left > 0 {
		r.Degraded = append(r.Degraded, fmt.Sprintf("failed: %d more documents are not listed", left))
	}
	foreign, err := bus.ForeignOf(s.bus).Said(ctx)
	if err != nil {
		return r, err
	}
	for _, sentence := range foreign {
		worsen(&r, sentence, document.Acts(document.DoVerify, document.DoVerifyRepair)...)
	}
	if r.Verify, err = bus.VerifiedOf(s.bus).Last(ctx); err != nil {
		return r, err
	}
	if v := r.Verify; v != nil && !v.Equal && (v.Differences > v.Repaired || len(v.Losses) == 0) {
		worsen(&r, fmt.Sprintf("verify: %d differences were left at %s", v.Differences-v.Repaired, v.Started.Format(time.RFC3339)), document.Acts(document.DoVerifyRepair)...)
	}
	losses, err := bus.LossesOf(s.bus).All(ctx)
	if err != nil {
		return r, err
	}
	if n := len(losses); n > 0 {
		worsen(&r, fmt.Sprintf("log: %d things were lost with a damaged part of the log and cannot be made again", n), document.Acts(document.DoLossList, document.DoLossAccept)...)
	}
	if r.Reranker != nil && r.Reranker.Trouble != "" {
		worsen(&r, "learned: "+r.Reranker.Trouble, r.Reranker.Actions...)
	}
	if r.KeptRanking != nil && r.KeptRanking.Trouble != "" {
		worsen(&r, "ranking: "+r.KeptRanking.Trouble, r.KeptRanking.Actions...)
	}
	r.Ready = watcher && scanned && known && waiting == 0
	return r, nil
}

// addReports takes the sources and troubles out of the reports. It is true where
// one is a watcher's.
func addReports(r *contract.StatusReply) (watcher bool) {
	for _, rep := range r.Reports {
		watcher = watcher || rep.Service == "watcher"
		for _, d := range rep.Degraded {
			worsen(r, rep.Service+": "+d, document.ActionsAbout(d, rep.Actions)...)
		}
		r.Sources = append(r.Sources, rep.Sources...)
	}
	return watcher
}

// addSources takes the troubles out of the sources. It is true when every watched
// one was compared once and none is just now.
func addSources(r *contract.StatusReply) (scanned bool) {
	scanned = true
	for _, src := range r.Sources {
		for _, d := range src.Degraded {
			worsen(r, string(src.Source)+": "+d, document.ActionsAbout(d, src.Actions)...)
		}
		if src.Held != "" {
			worsen(r, string(src.Source)+": held: "+src.Held, document.ActionsAbout(src.Held, src.Actions)...)
			if !src.Scanning {
				continue // nothing of it is going to come
			}
		}
		if src.Watched && (src.Scanned.IsZero() || src.Scanning) {
			scanned = false
		}
	}
	return scanned
}

// addSlowWatcher stands in for the report of a watcher that did not come in time.
// It is false where there is no watcher.
func (s state) addSlowWatcher(ctx context.Context, r *contract.StatusReply) bool {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ReportWait)
	defer cancel()
	list, age, ok := s.sources.Last(ctx)
	if !ok {
		r.Degraded = append(r.Degraded, "watcher: it does not answer, so changes are not seen")
		return false
	}
	r.Sources = list
	r.Degraded = append(r.Degraded, fmt.Sprintf("watcher: it is slow to answer, so what is said of its sources is that of %s ago", age.Round(time.Second/10)))
	return true
}

// watchedOnly is the scope of a status.
func watchedOnly(sources []contract.SourceInfo, watcher bool) func(document.Source) bool {
	watched := map[document.Source]bool{}
	for _, s := range sources {
		watched[s.Source] = s.Watched
	}
	return func(s document.Source) bool { return !watcher || watched[s] }
}

// countHeads counts documents and passages. It looks at every head, so it
// takes care to allocate nothing.
func (s state) countHeads(r *contract.StatusReply, in func(document.Source) bool) {
	s.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if !in(k.Source) {
			return true
		}
		switch h.Op {
		case contract.OpPut:
			r.Documents++
		case contract.OpSkipped:
			r.Skipped[h.Reason]++
		}
		return true
	})
	s.bus.Outputs(contract.StreamChunks).Range(func(k bus.OutputKey, h contract.OutputHead) bool {
		if _, ok := s.stores.sinks[k.Generation]; ok && in(k.Source) {
			r.Chunks += h.Count
		}
		return true
	})
}

// countPending counts the documents by the stage that they wait for; one may
// wait for both sinks.
func (s state) countPending(ctx context.Context, r *contract.StatusReply, in func(*contract.FileHead) bool) (documents int, err error) {
	chunks, vectors := s.bus.Outputs(contract.StreamChunks), s.bus.Outputs(contract.StreamVectors)
	if err := vectors.Ready(ctx); err != nil {
		return 0, err
	}
	s.index.Each(func(h *contract.FileHead, lexical, vector bool) {
		if !in(h) {
			return
		}
		documents++
		g, ok := s.stores.Generation(h.Collection)
		covered := func(t *bus.Table[bus.OutputKey, contract.OutputHead]) bool {
			out, has := t.Get(bus.OutputKey{Generation: g, Source: h.Source, Doc: h.Doc})
			return ok && has && out.Covers.At(h.View).Version >= h.Version
		}
		if !covered(chunks) {
			r.Pending[contract.StageChunker]++
			return
		}
		if lexical {
			r.Pending[contract.StageLexical]++
		}
		switch {
		case vector && !covered(vectors):
			r.Pending[contract.StageEmbed]++
		case vector:
			r.Pending[contract.StageVector]++
		}
	})
	return documents, nil
}

func (s state) streams(ctx context.Context, into map[string]contract.StreamInfo) error {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for _, name := range contract.Streams {
		group.Go(func() error {
			st, err := s.bus.JetStream().Stream(ctx, name)
			if err != nil {
				return fmt.Errorf("ask for the size of %s: %w", name, err)
			}
			state := st.CachedInfo().State
			mu.Lock()
			defer mu.Unlock()
			into[name] = contract.StreamInfo{Messages: state.Msgs, Bytes: state.Bytes, LastSeq: state.LastSeq}
			return nil
		})
	}
	return group.Wait()
}

// instances are the services that answered the last request for reports.
type instances struct {
	mu   sync.Mutex
	seen map[string]bool
}

// reportQuiet is how long others than those known may take to answer.
const reportQuiet = 20 * time.Millisecond

// reports asks every service for its part. Nobody knows how many there are, so
// it waits until those have answered that did the last time and a moment
// longer, or for ReportWait.
func (s state) reports(ctx context.Context) ([]contract.Report, error) {
	s.known.mu.Lock()
	missing := make(map[string]bool, len(s.known.seen))
	for name := range s.known.seen {
		missing[name] = true
	}
	s.known.mu.Unlock()
	seen := map[string]bool{}
	out := []contract.Report{}
	known := len(missing) > 0
	err := client.Reports(ctx, s.bus.Conn(), s.cfg.ReportWait, func(r contract.Report) (time.Duration, bool) {
		if name := r.Service + "/" + r.Instance; !seen[name] {
			seen[name] = true
			delete(missing, name)
			out = append(out, r)
		}
		return reportQuiet, known && len(missing) == 0
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	s.known.mu.Lock()
	s.known.seen = seen
	s.known.mu.Unlock()
	slices.SortFunc(out, func(a, b contract.Report) int {
		if a.Service != b.Service {
			return strings.Compare(a.Service, b.Service)
		}
		return strings.Compare(a.Instance, b.Instance)
	})
	return out, nil
}

// knownTexts tells of how many texts a grep knows what they may hold.
func (s state) knownTexts() *contract.TrigramState {
	if s.cfg.Trigrams == 0 {
		return nil
	}
	state := s.trigrams.State()
	return &contract.TrigramState{Texts: state.Texts, Known: state.Known, Bytes: state.Bytes}
}

package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// chunker is a chunker's worker that gives up on the documents that the test
// names, and does the others.
type chunker struct {
	mu     sync.Mutex
	broken map[document.Path]bool
	seen   []document.Version
}

func (c *chunker) set(path document.Path, broken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken[path] = broken
}

// lasting is a test whose context does not end before its cleanups: a worker
// finishes what it has in hand at the test's end.
type lasting struct{ testing.TB }

func (lasting) Context() context.Context { return context.Background() }

// chunk starts the worker; stop waits for its end.
func (r *rig) chunk(broken ...document.Path) (c *chunker, stop func()) {
	r.Helper()
	c = &chunker{broken: map[document.Path]bool{}}
	for _, path := range broken {
		c.broken[path] = true
	}
	worker := &rig{TB: lasting{r.TB}, bus: r.bus}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- r.bus.Run(ctx, bus.Worker{Stage: contract.StageChunker, Name: "chunker", Build: contract.BuildOf(generation), Stream: contract.StreamFiles, Workers: 1,
			Handle: func(_ context.Context, msgs []*bus.Msg) []error {
				errs := make([]error, len(msgs))
				for i, m := range msgs {
					path := document.Path(m.Header.Get(contract.HeaderPath))
					c.mu.Lock()
					dead := c.broken[path]
					c.seen = append(c.seen, document.Version(m.Seq))
					c.mu.Unlock()
					if dead {
						errs[i] = bus.Permanent(fmt.Errorf("%s cannot be cut", path))
						continue
					}
					worker.cut(string(path))
				}
				return errs
			}})
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				r.Errorf("the chunker ended with %v", err)
			}
		})
	}
	r.Cleanup(stop)
	return c, stop
}

// untilLetter waits until the letter of a path is as it should be; a zero head
// stands for none.
func (r *rig) untilLetter(path document.Path, as func(contract.DeadHead) bool) contract.DeadHead {
	r.Helper()
	changed := make(chan struct{}, 1)
	defer r.bus.Dead().Observe(func(bus.DeadKey, contract.DeadHead, contract.DeadHead) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	for {
		h, _ := r.bus.Dead().Get(bus.DeadKey{Stage: contract.StageChunker, Source: "s", Doc: document.DocOf(path), Build: contract.BuildOf(generation)})
		if as(h) {
			return h
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			r.Fatalf("the letter of %s is %+v", path, h)
		}
	}
}

func failed(h contract.DeadHead) bool { return h.State == contract.LetterFailed }
func none(h contract.DeadHead) bool   { return h.Seq == 0 }

// bury writes a letter for the newest version of a document, as a stage does.
func (r *rig) bury(stage contract.Stage, name string, kind contract.FailureKind) {
	r.Helper()
	source, path, view := at(name)
	m := r.last(contract.StreamFiles, contract.FileSubject(source, document.DocOf(path), view))
	head := contract.DeadHead{Path: path, Kind: kind, Reason: "broken", Attempts: 1, Time: time.Now(),
		Covers: contract.Covering(view, contract.Cover{Version: document.Version(m.Seq), Hash: document.Hash(m.Header.Get(contract.HeaderHash))})}
	body, err := json.Marshal(contract.DeadBody{Stage: stage, Source: source, Path: path, Subject: m.Subject, Seq: m.Seq, Reason: "broken beyond " + strings.Repeat("words", 500)})
	if err != nil {
		r.Fatal(err)
	}
	subject := contract.DeadSubject(stage, source, document.DocOf(path), contract.BuildOf(generation))
	r.publish(bus.Out{Subject: subject, Header: head.Header(), Body: body, Expect: seqOf(r.last(contract.StreamDead, subject))})
}

func answer[Req, Rep any](r *rig, subject string, req Req) Rep {
	r.Helper()
	rep, err := rpc.Call[Req, Rep](r.Context(), r.bus.Conn(), subject, req)
	if err != nil {
		r.Fatalf("%s: %v", subject, err)
	}
	return rep
}

func (r *rig) letters(f contract.DeadFilter) []contract.DeadLetter {
	r.Helper()
	return answer[contract.DeadListRequest, contract.DeadListReply](r, contract.SubjectDeadList, contract.DeadListRequest{Filter: f}).Letters
}

func (r *rig) change(subject string, f contract.DeadFilter) []contract.DeadRef {
	r.Helper()
	return answer[contract.DeadChange, contract.DeadChangeReply](r, subject, contract.DeadChange{Filter: f, All: !f.Narrows()}).Letters
}

// outcome asks until the outcome of one retry is another than those.
func (r *rig) outcome(ref contract.DeadRef, passing ...contract.RetryOutcome) contract.DeadOutcome {
	r.Helper()
	for {
		rep := answer[contract.DeadOutcomeRequest, contract.DeadOutcomeReply](r, contract.SubjectDeadOutcome, contract.DeadOutcomeRequest{Letters: []contract.DeadRef{ref}})
		if o := rep.Outcomes[0]; !slices.Contains(passing, o.Outcome) {
			return o
		}
	}
}

func named(path string) contract.DeadFilter { return contract.DeadFilter{Paths: []string{path}} }

func TestDismissedFailure_IsListedNoMoreAndHoldsUpNothing(t *testing.T) {
	r := newRig(t)
	c, _ := r.chunk("a.go")
	token := r.write("a.go", "alpha\n")
	r.untilLetter("a.go", failed)
	if refs := r.change(contract.SubjectDeadDrop, named("a.go")); len(refs) != 1 || refs[0].Path != "a.go" {
		t.Fatalf("dropped %+v", refs)
	}
	reply := r.search(contract.SearchRequest{Query: "alpha", Token: token.String(), DeadlineMS: 60_000})
	if len(reply.Failed) > 0 || len(reply.Pending) > 0 || len(reply.Hits) > 0 {
		t.Errorf("after the drop: failed %+v, pending %+v, %d hits", reply.Failed, reply.Pending, len(reply.Hits))
	}
	if list := r.letters(contract.DeadFilter{}); len(list) != 0 {
		t.Errorf("it is listed: %+v", list)
	}
	if list := r.letters(contract.DeadFilter{Past: true}); len(list) != 1 || list[0].State != contract.LetterDismissed || !list[0].Newest {
		t.Errorf("it is not among the past: %+v", list)
	}
	if refs := r.change(contract.SubjectDeadRetry, contract.DeadFilter{}); len(refs) != 0 {
		t.Errorf("all were retried, dismissed ones too: %+v", refs)
	}

	// The next version fails, too.
	token = r.write("a.go", "alpha again\n")
	r.untilLetter("a.go", failed)
	reply = r.search(contract.SearchRequest{Query: "alpha", Token: token.String(), DeadlineMS: 60_000})
	if len(reply.Failed) != 1 || len(reply.Pending) > 0 {
		t.Errorf("the next failure: failed %+v, pending %+v", reply.Failed, reply.Pending)
	}

	// And the one after it does not.
	c.set("a.go", false)
	r.write("a.go", "alpha at last\n")
	r.untilLetter("a.go", none)
}

func TestOutcomeOfARetry_IsTold(t *testing.T) {
	r := newRig(t)
	_, stop := r.chunk("a.go", "b.go")
	r.write("a.go", "alpha\n")
	r.write("b.go", "beta\n")
	r.untilLetter("a.go", failed)
	r.untilLetter("b.go", failed)
	if list := r.letters(contract.DeadFilter{}); len(list) != 2 || list[0].Path != "a.go" || list[0].Reason != "a.go cannot be cut" || list[0].Kind != contract.FailureRefused || !list[0].Newest {
		t.Fatalf("listed: %+v", list)
	}
	stop()
	refs := r.change(contract.SubjectDeadRetry, contract.DeadFilter{})
	if len(refs) != 2 {
		t.Fatalf("retried %+v", refs)
	}
	if o := r.outcome(refs[0]); o.Outcome != contract.RetryWaiting {
		t.Errorf("without a worker: %+v", o)
	}
	if again := r.change(contract.SubjectDeadRetry, contract.DeadFilter{}); len(again) != 2 || again[0].Seq != refs[0].Seq {
		t.Errorf("asked for again, the letters were written again: %+v", again)
	}

	c, stop := r.chunk("b.go")
	defer stop()
	if o := r.outcome(refs[1], contract.RetryWaiting); o.Outcome != contract.RetryFailed || o.Stage != contract.StageChunker || o.Reason != "b.go cannot be cut" {
		t.Errorf("failed again: %+v", o)
	}
	if o := r.outcome(refs[0], contract.RetryWaiting); o.Outcome != contract.RetryIndexing {
		t.Errorf("cut and not indexed: %+v", o)
	}
	r.index("a.go", document.Lexical)
	r.bury(contract.StageEmbed, "a.go", contract.FailureTries)
	if o := r.outcome(refs[0], contract.RetryIndexing); o.Outcome != contract.RetryFailed || o.Stage != contract.StageEmbed {
		t.Errorf("failed at the next stage: %+v", o)
	}
	c.set("b.go", false)
	refs = r.change(contract.SubjectDeadRetry, named("b.go"))
	r.outcome(refs[0], contract.RetryWaiting)
	r.index("b.go", document.Lexical)
	r.index("b.go", document.Vector)
	if o := r.outcome(refs[0], contract.RetryIndexing); o.Outcome != contract.RetryDone {
		t.Errorf("indexed: %+v", o)
	}
	if reply := r.search(contract.SearchRequest{Query: "beta", Token: "latest", DeadlineMS: 60_000}); len(reply.Hits) != 1 {
		t.Errorf("not found: %+v", reply)
	}
}

// A letter of a version that was replaced is nobody's concern, and a retry of
// it tries the newest.
func TestRetryOfAReplacedVersion_HandlesTheNewest(t *testing.T) {
	r := newRig(t)
	_, stop := r.chunk("a.go")
	r.write("a.go", "alpha\n")
	r.untilLetter("a.go", failed)
	stop()
	token := r.write("a.go", "alpha, newer\n")
	if list := r.letters(contract.DeadFilter{}); len(list) != 0 {
		t.Errorf("a version that was replaced is listed: %+v", list)
	}
	past := named("a.go")
	past.Past = true
	show := answer[contract.DeadShowRequest, contract.DeadShowReply](r, contract.SubjectDeadShow, contract.DeadShowRequest{Filter: past})
	if len(show.Letters) != 1 || show.Letters[0].Newest || show.Letters[0].Now[document.Worktree] != document.Version(token.Seq) {
		t.Fatalf("shown: %+v", show)
	}
	refs := r.change(contract.SubjectDeadRetry, past)
	c, _ := r.chunk()
	r.untilLetter("a.go", none)
	r.index("a.go", document.Lexical)
	r.index("a.go", document.Vector)
	if o := r.outcome(refs[0], contract.RetryIndexing); o.Outcome != contract.RetryDone {
		t.Errorf("the outcome is %+v", o)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.seen {
		if v != document.Version(token.Seq) {
			t.Errorf("version %d was handled, the newest is %d", v, token.Seq)
		}
	}
}

func TestLettersOnPages_AreEachListedOnce(t *testing.T) {
	r := newRig(t)
	const n = 30
	for i := range n {
		name := fmt.Sprintf("dir%d/f%02d.go", i%3, i)
		r.write(name, name)
		kind := contract.FailureTries
		if i%2 == 0 {
			kind = contract.FailureKilled
		}
		r.bury(contract.Stages[i%len(contract.Stages)], name, kind)
	}
	seen := map[document.Path]int{}
	req := contract.DeadListRequest{Limit: 7}
	for pages := 0; ; pages++ {
		rep := answer[contract.DeadListRequest, contract.DeadListReply](r, contract.SubjectDeadList, req)
		if rep.Total != n || len(rep.Letters) > 7 {
			t.Fatalf("a page of %d, %d in all", len(rep.Letters), rep.Total)
		}
		for _, l := range rep.Letters {
			seen[l.Path]++
		}
		if req.After = rep.Next; req.After == "" {
			if pages != n/7 {
				t.Errorf("%d pages", pages+1)
			}
			break
		}
	}
	for i := range n {
		if name := document.Path(fmt.Sprintf("dir%d/f%02d.go", i%3, i)); seen[name] != 1 {
			t.Errorf("%s was listed %d times", name, seen[name])
		}
	}
	for name, c := range map[string]struct {
		filter contract.DeadFilter
		want   int
	}{
		"folder":  {named("dir1"), 10},
		"glob":    {named("**/f0*.go"), 10},
		"stage":   {contract.DeadFilter{Stages: []contract.Stage{contract.StageChunker}}, 8},
		"kind":    {contract.DeadFilter{Kinds: []contract.FailureKind{contract.FailureKilled}}, 15},
		"source":  {contract.DeadFilter{Sources: []document.Source{"other"}}, 0},
		"several": {contract.DeadFilter{Paths: []string{"dir0"}, Kinds: []contract.FailureKind{contract.FailureTries}}, 5},
	} {
		if got := r.letters(c.filter); len(got) != c.want {
			t.Errorf("%s: %d letters, want %d", name, len(got), c.want)
		}
	}
	show := answer[contract.DeadShowRequest, contract.DeadShowReply](r, contract.SubjectDeadShow, contract.DeadShowRequest{Filter: named("dir0/f00.go")})
	if len(show.Letters) != 1 || !strings.HasPrefix(show.Letters[0].Reason, "broken beyond words") || show.Letters[0].InputSeq == 0 || show.Letters[0].InputSubject == "" {
		t.Errorf("shown: %+v", show)
	}
}

func TestWrongLetterRequest_ChangesNoLetters(t *testing.T) {
	r := newRig(t)
	r.write("a.go", "alpha\n")
	r.bury(contract.StageChunker, "a.go", contract.FailureTries)
	for name, req := range map[string]contract.DeadChange{
		"nothing":       {},
		"past only":     {Filter: contract.DeadFilter{Past: true}},
		"unknown stage": {Filter: contract.DeadFilter{Stages: []contract.Stage{"parser"}}},
		"unknown kind":  {Filter: contract.DeadFilter{Kinds: []contract.FailureKind{"bad luck"}}, All: true},
		"broken glob":   {Filter: named("a[.go")},
		"absolute":      {Filter: named("/a.go")},
	} {
		for _, subject := range []string{contract.SubjectDeadRetry, contract.SubjectDeadDrop} {
			_, err := rpc.Call[contract.DeadChange, contract.DeadChangeReply](r.Context(), r.bus.Conn(), subject, req)
			var typed *document.Error
			if !errors.As(err, &typed) || typed.Kind != document.InvalidRequest {
				t.Errorf("%s on %s: %v", name, subject, err)
			}
		}
	}
	if list := r.letters(contract.DeadFilter{}); len(list) != 1 || list[0].State != contract.LetterFailed {
		t.Errorf("the letter is %+v", list)
	}
}

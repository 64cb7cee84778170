package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

func TestDeletedDocument_IsNotShown(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha walrus\n")
	token := r.remove("a.go")
	for _, stage := range []string{"nothing done", "cut", "lexical", "settled"} {
		reply := r.search(contract.SearchRequest{Query: "alpha walrus"})
		if len(reply.Hits) > 0 {
			t.Fatalf("%s: shown at %s: %s", stage, reply.Token, texts(reply))
		}
		if reply.Token.Seq < token.Seq {
			t.Fatalf("%s: the answer is of %s, before %s", stage, reply.Token, token)
		}
		switch stage {
		case "nothing done":
			r.cut("a.go")
		case "cut":
			r.index("a.go", document.Lexical)
		case "lexical":
			r.index("a.go", document.Vector)
		}
	}
}

func TestEditWhileTheSinksLag_TheNewTextIsShown(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha walrus\n")
	r.write("a.go", "alpha turtle\n")
	for _, stage := range []string{"written", "cut", "lexical"} {
		reply := r.search(contract.SearchRequest{Query: "alpha walrus turtle"})
		if s := texts(reply); strings.Contains(s, "walrus") || !strings.Contains(s, "turtle") {
			t.Fatalf("%s: %s", stage, s)
		}
		if !reply.Hits[0].Pending || len(reply.Pending) != 1 || !reply.Pending[0].Searched {
			t.Fatalf("%s: hit pending %v, listed %+v", stage, reply.Hits[0].Pending, reply.Pending)
		}
		switch stage {
		case "written":
			r.cut("a.go")
		case "cut":
			r.index("a.go", document.Lexical)
		}
	}
	r.index("a.go", document.Vector)
	reply := r.search(contract.SearchRequest{Query: "alpha walrus turtle"})
	if len(reply.Hits) != 1 || reply.Hits[0].Pending || len(reply.Pending) > 0 {
		t.Fatalf("settled: %+v", reply)
	}
}

func TestLinesOfAPendingDocument_AreTheNewOnes(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "one\n\nfunc walrus() {\n\treturn\n}\n")
	r.write("a.go", "new\nlines\nabove\n\none\n\nfunc walrus() {\n\treturn\n}\n")
	reply := r.search(contract.SearchRequest{Query: "walrus", Text: contract.TextFull, Off: []string{"pending"}})
	if len(reply.Hits) == 0 {
		t.Fatal("no hits")
	}
	h := reply.Hits[0]
	if h.StartLine != 7 || h.EndLine != 9 || !h.Pending || h.Text != "func walrus() {\n\treturn\n}\n" || h.Symbol != "walrus" {
		t.Fatalf("%+v", h)
	}
}

func TestNewWordWhilePending_IsFound(t *testing.T) {
	r := newRig(t)
	for i := range 30 {
		r.stored(fmt.Sprintf("other%d.go", i), fmt.Sprintf("func other%d() { parse(token); report(state) }\n", i))
	}
	r.stored("a.go", "func alpha() {}\n")
	r.write("a.go", "func alpha() {}\n\nfunc zanzibar() { parse(token) }\n")
	r.write("fresh.go", strings.Repeat("// filler\n", 400)+"func quagmire() {}\n")
	for query, want := range map[string]struct {
		path document.Path
		line int
	}{
		"zanzibar":                    {"a.go", 1},
		"quagmire":                    {"fresh.go", 301},
		"where is zanzibar parsed":    {"a.go", 1},
		"parse token in Zanzibar now": {"a.go", 1},
	} {
		reply := r.search(contract.SearchRequest{Query: query})
		if len(reply.Hits) == 0 || reply.Hits[0].Path != want.path {
			t.Errorf("%q: %s %+v", query, texts(reply), reply.Trace)
			continue
		}
		h := reply.Hits[0]
		if h.Channels["pending"].Rank == 0 || h.StartLine < want.line || h.EndLine > 401 {
			t.Errorf("%q: %+v", query, h)
		}
	}
	r.cut("a.go") // the chunks are there, the sinks lag
	reply := r.search(contract.SearchRequest{Query: "zanzibar"})
	if len(reply.Hits) == 0 || reply.Hits[0].Symbol != "zanzibar" || reply.Hits[0].StartLine != 3 {
		t.Errorf("cut: %+v", reply.Hits)
	}
}

func TestToken_WaitsForBothSinks(t *testing.T) {
	r := newRig(t)
	token := r.write("a.go", "alpha walrus\n")
	done := make(chan contract.SearchReply, 1)
	go func() {
		reply, err := r.ask(contract.SearchRequest{Query: "walrus", Token: token.String(), DeadlineMS: 60_000})
		if err != nil {
			t.Error(err)
		}
		done <- reply
	}()
	r.cut("a.go")
	r.index("a.go", document.Lexical)
	// With one sink still open the answer must not be there. There is no
	// event for "it waits"; asking without a token takes the same way.
	r.search(contract.SearchRequest{Query: "walrus"})
	select {
	case reply := <-done:
		t.Fatalf("answered before the vector sink: %+v", reply)
	default:
	}
	r.index("a.go", document.Vector)
	reply := <-done
	if len(reply.Hits) != 1 || len(reply.Pending) > 0 || reply.Hits[0].Channels["vector"].Rank == 0 {
		t.Fatalf("%+v", reply)
	}
}

// A worker may list an older version after its deletion counted as settled:
// nothing was listed before. The next listing settles it again, and that much
// a query with a token waits, at whatever moment it meets the two.
func TestOlderListingReopensADeletion_ItIsNotPending(t *testing.T) {
	r := newRig(t)
	r.stored("b.go", "alpha\n")
	older := r.write("a.go", "alpha walrus\n")
	token := r.remove("a.go")
	cover := map[bool]contract.Cover{
		false: {Version: document.Version(older.Seq), Hash: document.HashOf([]byte("alpha walrus\n"))},
		true:  {Version: document.Version(token.Seq)},
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		previous, settled := uint64(0), false
		for {
			previous = r.list("a.go", document.Vector, cover[settled], previous)
			if settled {
				select {
				case <-stop:
					return
				default:
				}
			}
			settled = !settled
		}
	}()
	for range 300 {
		reply := r.search(contract.SearchRequest{Query: "alpha", Token: token.String(), DeadlineMS: 60_000})
		if len(reply.Pending) > 0 {
			t.Errorf("pending %+v, trace %+v", reply.Pending, reply.Trace)
			break
		}
	}
	close(stop)
	<-stopped
}

func TestToken_DoesNotWaitForNewerChangesOfOthers(t *testing.T) {
	r := newRig(t)
	token := r.stored("a.go", "alpha walrus\n")
	r.write("b.go", "never settled\n")
	reply := r.search(contract.SearchRequest{Query: "walrus", Token: token.String(), DeadlineMS: 60_000})
	if len(reply.Hits) == 0 || len(reply.Pending) > 0 {
		t.Fatalf("%+v", reply)
	}
}

func TestOlderVersion_DoesNotSatisfyTheToken(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha\n")
	second := r.write("a.go", "alpha beta\n")
	r.write("a.go", "alpha beta gamma\n")
	reply := r.search(contract.SearchRequest{Query: "beta", Token: second.String(), DeadlineMS: 100})
	if len(reply.Pending) != 1 {
		t.Fatalf("the version of the token was replaced before it was settled, and nothing is listed: %+v", reply)
	}
	r.settle("a.go")
	reply = r.search(contract.SearchRequest{Query: "beta", Token: second.String(), DeadlineMS: 60_000})
	if len(reply.Pending) != 0 || len(reply.Hits) != 1 {
		t.Fatalf("%+v", reply)
	}
}

func TestDeadlinePasses_AnswerListsWhatIsPending(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha\n")
	token := r.write("b.go", "beta\n")
	r.cut("b.go")
	r.index("b.go", document.Lexical)
	reply := r.search(contract.SearchRequest{Query: "beta", Token: token.String(), DeadlineMS: 100})
	want := contract.PendingPath{Source: "s", View: document.Worktree, Path: "b.go", Version: document.Version(token.Seq), Searched: true}
	if len(reply.Pending) != 1 || !slices.Equal(reply.Pending[0].Sinks, []document.Sink{document.Vector}) {
		t.Fatalf("pending %+v", reply.Pending)
	}
	reply.Pending[0].Sinks = nil
	if fmt.Sprint(reply.Pending[0]) != fmt.Sprint(want) {
		t.Fatalf("pending %+v, want %+v", reply.Pending[0], want)
	}
	if len(reply.Hits) == 0 || reply.Hits[0].Path != "b.go" || !reply.Hits[0].Pending {
		t.Fatalf("hits %+v", reply.Hits)
	}
}

func TestToken_DoesNotWaitForWhatAFilterLeavesOut(t *testing.T) {
	r := newRig(t)
	r.stored("pkg/a.go", "alpha\n")
	token := r.write("docs/b.go", "beta\n")
	reply := r.search(contract.SearchRequest{Query: "alpha path:pkg", Token: token.String(), DeadlineMS: 60_000})
	if len(reply.Hits) != 1 || len(reply.Pending) > 0 {
		t.Fatalf("%+v", reply)
	}
}

func TestAnswerOfAStoreThatWentBack_IsDegraded(t *testing.T) {
	for name, mark := range map[string]store.Mark{
		"exchanged":     {ID: "another", Position: 100},
		"wiped":         {},
		"an older copy": {ID: "vector-1", Position: 41},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			token := r.stored("a.go", "alpha walrus\n")
			r.mark(document.Vector, store.Mark{ID: "vector-1", Position: 42})
			r.know(document.Vector, contract.StoreRecord{Lineage: contract.Lineage{Store: "vector-1"}, Position: 42})
			if reply := r.search(contract.SearchRequest{Query: "walrus", Token: token.String()}); len(reply.Degraded) > 0 {
				t.Fatalf("before: degraded %q", reply.Degraded)
			}
			r.mark(document.Vector, mark)
			reply := r.search(contract.SearchRequest{Query: "walrus", Token: token.String()})
			if len(reply.Degraded) != 1 || !strings.HasPrefix(reply.Degraded[0], "vector: ") || len(reply.Hits) != 1 {
				t.Fatalf("degraded %q, %d hits", reply.Degraded, len(reply.Hits))
			}
		})
	}
}

// Somebody deletes an index. Its indexer makes another one, and tells the log of it,
// after a question has listed what the old one does not hold, and before it asks. Or the
// indexer takes over from one that was killed, and gives the store another id.
func TestStoreIsExchangedWhileAQuestionRuns_QuestionIsAskedAgain(t *testing.T) {
	for _, sink := range document.Sinks {
		for name, c := range map[string]struct {
			past    []contract.PastStore
			pending int // documents
		}{
			"another store":            {pending: 2},
			"renamed":                  {past: []contract.PastStore{{Store: string(sink) + "-1", UpTo: 1 << 40}}},
			"renamed, and lost a part": {past: []contract.PastStore{{Store: string(sink) + "-1", UpTo: 2}}, pending: 1}, // a document is listed for each sink
		} {
			t.Run(string(sink)+", "+name, func(t *testing.T) {
				r := newRig(t)
				r.stored("a.go", "alpha walrus\n")
				token := r.stored("b.go", "beta walrus\n")
				then := func() {
					r.lexical.once, r.vector.hold = nil, nil
					r.mark(sink, store.Mark{ID: string(sink) + "-2"})
					r.know(sink, contract.StoreRecord{Lineage: contract.Lineage{Store: string(sink) + "-2", Past: c.past}})
				}
				in := contract.SearchRequest{Query: "walrus", Token: token.String(), DeadlineMS: 500}
				if sink == document.Vector {
					r.vector.hold, in.Off = func(context.Context) { then() }, []string{"lexical"}
				} else {
					r.lexical.once, in.Off = then, []string{"vector"}
				}
				if c.pending == 0 {
					in.DeadlineMS = 60_000
				}
				reply := r.search(in)
				lag := 0
				for _, p := range reply.Pending {
					if slices.Equal(p.Sinks, []document.Sink{sink}) {
						lag++
					}
				}
				if len(reply.Degraded) != 0 || lag != c.pending || len(reply.Hits) != 2 {
					t.Fatalf("degraded %q, pending %+v, %d hits", reply.Degraded, reply.Pending, len(reply.Hits))
				}
			})
		}
	}
}

// A store that did not answer may have crashed, and lost what came after its
// position although the log lists it.
func TestLastMomentsOfACrashedStore_ArePending(t *testing.T) {
	r := newRig(t)
	token := r.stored("a.go", "alpha walrus\n")
	r.lexical.fail(errors.New("connection refused"))
	if reply := r.search(contract.SearchRequest{Query: "walrus"}); len(reply.Degraded) != 1 {
		t.Fatalf("degraded %q", reply.Degraded)
	}
	r.lexical.fail(nil) // it is back, as complete as before
	reply := r.search(contract.SearchRequest{Query: "walrus", Token: token.String(), DeadlineMS: 100})
	if len(reply.Pending) != 1 || !slices.Equal(reply.Pending[0].Sinks, []document.Sink{document.Lexical}) {
		t.Fatalf("pending %+v", reply.Pending)
	}
	// The indexer has looked at it: nothing is missing.
	last, err := r.bus.LastSeq(t.Context(), contract.StreamIndexed)
	if err != nil {
		t.Fatal(err)
	}
	r.mark(document.Lexical, store.Mark{ID: "lexical-1", Position: last})
	r.know(document.Lexical, contract.StoreRecord{Lineage: contract.Lineage{Store: "lexical-1"}, Position: last})
	reply = r.search(contract.SearchRequest{Query: "walrus", Token: token.String(), DeadlineMS: 60_000})
	if len(reply.Pending) != 0 {
		t.Fatalf("pending %+v", reply.Pending)
	}
}

func TestExchangedStore_IsPendingUntilRefilled(t *testing.T) {
	r := newRig(t)
	token := r.stored("a.go", "alpha walrus\n")
	r.know(document.Vector, contract.StoreRecord{Lineage: contract.Lineage{Store: "vector-2"}})
	r.mark(document.Vector, store.Mark{ID: "vector-2"})
	reply := r.search(contract.SearchRequest{Query: "walrus", Token: token.String(), DeadlineMS: 100})
	if len(reply.Pending) != 1 || !slices.Equal(reply.Pending[0].Sinks, []document.Sink{document.Vector}) {
		t.Fatalf("pending %+v", reply.Pending)
	}
	r.index("a.go", document.Vector)
	reply = r.search(contract.SearchRequest{Query: "walrus", Token: token.String(), DeadlineMS: 60_000})
	if len(reply.Pending) != 0 {
		t.Fatalf("refilled: pending %+v", reply.Pending)
	}
}

func TestDeadDocument_DoesNotBlockTheToken(t *testing.T) {
	r := newRig(t)
	r.stored("b.go", "beta\n")
	token := r.write("a.go", "alpha\n")
	head := contract.DeadHead{
		Path: "a.go", Reason: "the parser died four times", Attempts: 4,
		Covers: contract.Covering(document.Worktree, contract.Cover{Version: document.Version(token.Seq), Hash: document.HashOf([]byte("alpha\n"))}),
	}
	body, err := json.Marshal(contract.DeadBody{Stage: contract.StageChunker, Source: "s", Path: "a.go", Reason: head.Reason})
	if err != nil {
		t.Fatal(err)
	}
	r.publish(bus.Out{Subject: contract.DeadSubject(contract.StageChunker, "s", document.DocOf("a.go"), contract.BuildOf(generation)), Header: head.Header(), Body: body})
	reply := r.search(contract.SearchRequest{Query: "beta", Token: token.String(), DeadlineMS: 60_000})
	if len(reply.Pending) > 0 || len(reply.Failed) != 1 || reply.Failed[0].Path != "a.go" || reply.Failed[0].Reason != head.Reason {
		t.Fatalf("pending %+v, failed %+v", reply.Pending, reply.Failed)
	}
	r.write("a.go", "alpha again\n")
	if reply = r.search(contract.SearchRequest{Query: "beta"}); len(reply.Failed) > 0 || len(reply.Pending) != 1 {
		t.Fatalf("a newer version: pending %+v, failed %+v", reply.Pending, reply.Failed)
	}
}

func TestViews_AreKeptApart(t *testing.T) {
	r := newRig(t)
	r.write("a.go@main", "alpha on main\n")
	r.write("a.go@next", "alpha on next\n")
	r.write("b.go@next", "alpha too\n")
	r.settle("a.go@main", "b.go@next")
	for view, want := range map[document.View]string{"main": "a.go: alpha on main\n", "next": "a.go: alpha on next\n"} {
		reply := r.search(contract.SearchRequest{Query: "alpha on", Filter: contract.Filter{Views: []document.View{view}, Paths: []string{"a.go"}}})
		if len(reply.Hits) != 1 || reply.Hits[0].View != view || strings.TrimSpace(texts(reply)) != strings.TrimSpace(want) {
			t.Errorf("%s: %s", view, texts(reply))
		}
	}
	r.remove("a.go@next")
	reply := r.search(contract.SearchRequest{Query: "alpha on", Filter: contract.Filter{Paths: []string{"a.go"}}})
	if len(reply.Hits) != 1 || reply.Hits[0].View != "main" {
		t.Errorf("after the deletion on next: %s", texts(reply))
	}
}

func TestOrphan_IsNotShownAndReported(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha walrus\n")
	repairs, err := r.bus.Conn().SubscribeSync(contract.SubjectRepair)
	if err != nil {
		t.Fatal(err)
	}
	id := document.NewChunkID("s", "a.go", "left behind", 0, 1)
	r.apply(document.Lexical, id, &document.Span{}, store.Attrs{Source: "s", Doc: document.DocOf("a.go"), Path: "a.go"}, []byte("walrus ghost"))
	reply := r.search(contract.SearchRequest{Query: "walrus ghost"})
	if len(reply.Hits) != 1 || reply.Hits[0].ID == id {
		t.Fatalf("%+v", reply.Hits)
	}
	m, err := repairs.NextMsgWithContext(r.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got contract.Repair
	if err := json.Unmarshal(m.Data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Generation != generation || got.Sink != document.Lexical || got.Doc != document.DocOf("a.go") || !slices.Equal(got.IDs, []document.ChunkID{id}) {
		t.Fatalf("%+v", got)
	}
}

func TestLaggingPassage_IsNotReportedAsOrphan(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha walrus\n")
	repairs, err := r.bus.Conn().SubscribeSync(contract.SubjectRepair)
	if err != nil {
		t.Fatal(err)
	}
	r.remove("a.go")
	r.cut("a.go")
	if reply := r.search(contract.SearchRequest{Query: "walrus"}); len(reply.Hits) > 0 {
		t.Fatalf("shown: %s", texts(reply))
	}
	if err := r.bus.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, err := repairs.Pending(); err != nil || n > 0 {
		t.Fatalf("%d reports for what an indexer is about to delete (%v)", n, err)
	}
}

func TestGhostsFillTheFirstPage_TheRealHitIsFound(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Overfetch = 10 })
	for i := range 40 {
		name := fmt.Sprintf("walrus/ghost%d.go", i)
		r.stored(name, fmt.Sprintf("walrus walrus walrus %d\n", i))
		r.remove(name)
		r.cut(name)
	}
	r.stored("real.go", "a walrus among many other words that make this passage longer than the others\n")
	reply := r.search(contract.SearchRequest{Query: "walrus"})
	if len(reply.Hits) != 1 || reply.Hits[0].Path != "real.go" {
		t.Fatalf("%s", texts(reply))
	}
}

func TestAnswer_KeepsItsDeadline(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha\n")
	token := r.write("b.go", "beta\n")
	reply := r.search(contract.SearchRequest{Query: "alpha", Token: token.String(), DeadlineMS: 150})
	if len(reply.Pending) == 0 {
		t.Fatal("nothing is listed as pending")
	}
	var barrier contract.TraceStage
	for _, s := range reply.Trace {
		if s.Stage == "barrier" {
			barrier = s
		}
	}
	if barrier.Note != "deadline" {
		t.Fatalf("trace %+v", reply.Trace)
	}
}

func TestStatus_IsReadyOnceEverythingIsSettled(t *testing.T) {
	r := newRig(t)
	status := func() contract.StatusReply {
		t.Helper()
		s, err := client.Status.Ask(r.Context(), r.bus.Conn(), client.None)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := status(); s.Ready {
		t.Fatal("ready before the source was compared")
	}
	r.mu.Lock()
	r.sources[0].Scanned = document.Token{Epoch: 1, Seq: 1}
	r.mu.Unlock()
	if s := status(); !s.Ready {
		t.Fatalf("not ready though nothing is there: %+v", s)
	}
	r.stored("a.go", "alpha\n\nbeta\n")
	r.write("b.go", "beta\n")
	r.file("c.bin", contract.OpSkipped, "")
	s := status()
	if s.Ready || s.Pending[contract.StageChunker] != 1 || s.Documents != 2 || s.Chunks != 2 || len(s.Skipped) != 1 {
		t.Fatalf("%+v", s)
	}
	r.cut("b.go")
	s = status()
	if s.Ready || s.Pending[contract.StageEmbed] != 1 || s.Pending[contract.StageLexical] != 1 {
		t.Fatalf("cut: %+v", s.Pending)
	}
	r.settle("b.go")
	s = status()
	if !s.Ready || len(s.Pending) > 0 || len(s.Streams) != 5 || s.Streams[contract.StreamFiles].Messages != 3 || s.Token.IsZero() {
		t.Fatalf("settled: %+v", s)
	}
	if !slices.ContainsFunc(s.Reports, func(rep contract.Report) bool { return rep.Service == "query" }) {
		t.Fatalf("reports %+v", s.Reports)
	}
}

// A store is exchanged. Until its indexer has told the log of it, nothing is listed as
// pending for it.
func TestStoreIsUnknown_StatusIsNotReady(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha walrus\n")
	r.mu.Lock()
	r.sources[0].Scanned = document.Token{Epoch: 1, Seq: 1}
	r.mu.Unlock()
	expect := func(ready bool, degraded string) {
		t.Helper()
		s, err := client.Status.Ask(r.Context(), r.bus.Conn(), client.None)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Degraded, "; "); s.Ready != ready || !strings.HasPrefix(got, degraded) || degraded == "" && got != "" {
			t.Errorf("ready %t, degraded %q; want ready %t, degraded %q", s.Ready, got, ready, degraded)
		}
	}
	expect(true, "")
	r.mark(document.Lexical, store.Mark{ID: "lexical-2"})
	expect(false, "lexical: the store was exchanged")
	r.mark(document.Lexical, store.Mark{ID: "lexical-1"})
	expect(true, "")
}

func TestService_IsDiscovered(t *testing.T) {
	r := newRig(t)
	m, err := r.bus.Conn().RequestMsgWithContext(r.Context(), &nats.Msg{Subject: "$SRV.INFO.freshet"})
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{contract.SubjectSearch, contract.SubjectStatus} {
		if !strings.Contains(string(m.Data), `"`+subject+`"`) {
			t.Errorf("%s is not in %s", subject, m.Data)
		}
	}
}

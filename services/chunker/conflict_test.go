package chunker

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// fetch returns the heads of FILES of a path in some views.
func (r *rig) fetch(path document.Path, views ...document.View) []*bus.Msg {
	r.t.Helper()
	var out []*bus.Msg
	for _, v := range views {
		subject := contract.FileSubject(testSource, document.DocOf(path), v)
		heads, err := r.bus.GetLast(r.t.Context(), contract.StreamFiles, subject)
		if err != nil || heads[subject] == nil {
			r.t.Fatalf("no head on %s: %v", subject, err)
		}
		out = append(out, heads[subject])
	}
	return out
}

// Three workers write one path's output at the same time, each for its view:
// whoever loses the compare-and-swap must not lose its version, nor undo
// another one's.
func TestWorkersThatLoseTheCompareAndSwap_LoseNoVersion(t *testing.T) {
	b := bustest.New(t)
	one, two := newRigOn(t, b, nil), newRigOn(t, b, nil)
	views := []document.View{"main", "dev", "next"}
	for i := range 40 {
		path := document.Path(fmt.Sprintf("f%d.go", i))
		versions := map[document.View]document.Version{}
		for k, v := range views {
			versions[v] = one.put(path, v, goFile(function("Shared", "same"), function(fmt.Sprintf("Own%d", k), "other")), 0)
		}
		msgs := one.fetch(path, views...)
		var wg sync.WaitGroup
		for k, m := range msgs {
			svc := one.svc
			if k%2 == 1 {
				svc = two.svc
			}
			wg.Go(func() {
				if errs := svc.handle(t.Context(), []*bus.Msg{m}); errs[0] != nil {
					t.Error(errs[0])
				}
			})
		}
		wg.Wait()
		state, head := one.covered(path, "main", versions["main"])
		for v, version := range versions {
			if state.Covers.At(v).Version != version {
				t.Errorf("%s: view %s is covered at %d, want %d", path, v, state.Covers.At(v).Version, version)
			}
		}
		if len(state.Contents) != 3 || head.Count != 5 {
			t.Fatalf("%s: %d contents with %d distinct chunks, want 3 with 5 (imports, Shared, and one each)", path, len(state.Contents), head.Count)
		}
	}
}

func TestVersionsOfOneBatch_BecomeOneMessage(t *testing.T) {
	b := bustest.New(t)
	r := newRigOn(t, b, func(c *Config) { c.Build.Embedder = "another" }) // leaves the generation below alone
	svc, err := New(testConfig(), Deps{Bus: b})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.cutter.Parsers().Close)
	content := goFile(function("One", "first"))
	r.put("a.go", "main", content, 0)
	v := r.put("a.go", "dev", content, 0)
	for i, err := range svc.handle(t.Context(), r.fetch("a.go", "dev", "main")) {
		if err != nil {
			t.Errorf("message %d: %v", i, err)
		}
	}
	other := &rig{t: t, bus: b, svc: svc}
	state, head := other.covered("a.go", "dev", v)
	if state.Covers.Len() != 2 || len(state.Contents) != 1 || head.Count != 2 {
		t.Errorf("%d views, %d contents, %d chunks", state.Covers.Len(), len(state.Contents), head.Count)
	}
	if n := svc.counters.documents.Load(); n != 2 {
		t.Errorf("%d documents were counted, want 2", n)
	}
}

func TestSuspectDocument_NeverReachesTheParser(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Build.Embedder = "another" })
	svc, err := New(testConfig(), Deps{Bus: r.bus})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.cutter.Parsers().Close)
	v := r.put("a.go", "", goFile(function("One", "first")), 0)
	m := r.fetch("a.go", document.Worktree)[0]
	m.Suspect = true
	if errs := svc.handle(t.Context(), []*bus.Msg{m}); errs[0] != nil {
		t.Fatal(errs[0])
	}
	state, _ := (&rig{t: t, bus: r.bus, svc: svc}).covered("a.go", "", v)
	for _, c := range state.Contents[0].Chunks {
		if c.Fallback != "workers died while they handled it" {
			t.Errorf("%s was split with the reason %q", c.Symbol, c.Fallback)
		}
	}
	if len(svc.ParserPIDs()) != 0 {
		t.Error("a parser child was started")
	}
}

// One bad message must not fail its neighbours.
func TestBrokenMessage_FailsAlone(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Build.Embedder = "another" })
	svc, err := New(testConfig(), Deps{Bus: r.bus})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.cutter.Parsers().Close)
	v := r.put("good.go", "", goFile(function("One", "first")), 0)
	r.put("bad.go", "", goFile(), 0)
	msgs := r.fetch("good.go", document.Worktree)
	headless := *r.fetch("bad.go", document.Worktree)[0]
	headless.Header = nil
	forged := *r.fetch("bad.go", document.Worktree)[0]
	forged.Header = contract.FileHead{Path: "bad.go", Op: contract.OpPut, Hash: "0123", Collection: document.CollectionCode}.Header()
	errs := svc.handle(t.Context(), append(msgs, &headless, &forged))
	if errs[0] != nil || errs[1] == nil || errs[2] == nil {
		t.Fatalf("errors are %v", errs)
	}
	(&rig{t: t, bus: r.bus, svc: svc}).covered("good.go", "", v)
}

func TestContentBeyondTheClaimCheck_BecomesChunks(t *testing.T) {
	r := newRig(t, nil)
	var b strings.Builder
	rnd := rand.New(rand.NewPCG(1, 2))
	for b.Len() < 1<<20 {
		fmt.Fprintf(&b, "%x %x\n", rnd.Uint64(), rnd.Uint64())
	}
	v := r.put("noise.txt", "", b.String(), 0)
	state, head := r.covered("noise.txt", "", v)
	if head.Count < 1000 || string(state.Contents[0].Text) != b.String() {
		t.Errorf("%d chunks of %d bytes", head.Count, len(state.Contents[0].Text))
	}
}

func TestChunkerWithoutAnEmbedder_IsRefused(t *testing.T) {
	if _, err := New(FromConfig(config.Default(), contract.Build{}), Deps{}); document.KindOf(err) != document.InvalidRequest {
		t.Error(err)
	}
}

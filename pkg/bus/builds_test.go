package bus_test

import (
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Two processes have built something else each and switch at the same moment:
// one of them does, and the other learns of it.
func TestTwoProcessesSwitchAtOnce_OneDoesAndTheOtherLearnsOfIt(t *testing.T) {
	t.Parallel()
	server, a := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	b, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	first, err := bus.BuildsOf(a).Serve(t.Context(), bus.Serving{}, "00000000")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var errs [2]error
	ids := [2]contract.BuildID{"aaaaaaaa", "bbbbbbbb"}
	for i, p := range []*bus.Bus{a, b} {
		wg.Go(func() { _, errs[i] = bus.BuildsOf(p).Serve(t.Context(), first, ids[i]) })
	}
	wg.Wait()
	won := 0
	if errs[0] != nil {
		won = 1
	}
	if errs[won] != nil || !errors.Is(errs[1-won], bus.ErrConflict) {
		t.Fatalf("both switched, or neither: %v, %v", errs[0], errs[1])
	}
	for _, p := range []*bus.Bus{a, b} {
		if s, err := bus.BuildsOf(p).Serving(t.Context()); err != nil || s.Build != ids[won] {
			t.Errorf("%s serves, want %s: %v", s.Build, ids[won], err)
		}
	}
}

func TestRecordOfABuild_CountsForThatBuildAlone(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	build := contract.NewBuild(contract.Cut{Target: 700}, "words", contract.Embedding{Embedder: "model", Dims: 256})
	if err := bus.BuildsOf(b).Note(t.Context(), build); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := bus.BuildsOf(b).Get(t.Context(), build.ID()); !reflect.DeepEqual(got, build) || !ok || err != nil {
		t.Errorf("%+v %t %v", got, ok, err)
	}
	// Written by somebody else: it counts as none.
	if _, err := b.Bucket(contract.BucketMeta).Put(t.Context(), "build."+string(build.ID()), []byte(`{"embedder":"another"}`)); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := bus.BuildsOf(b).Get(t.Context(), build.ID()); ok || err != nil {
		t.Errorf("what is not of this build counts: %t %v", ok, err)
	}
}

func TestNothingOfABuildIsLeft_ItsRecordGoes(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var ids []contract.BuildID
	for target := range 3 {
		build := contract.NewBuild(contract.Cut{Target: 700 + target}, "words", contract.Embedding{Embedder: "model", Dims: 256})
		if err := bus.BuildsOf(b).Note(t.Context(), build); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, build.ID())
	}
	for _, target := range []int{0, 1} { // as another version of freshet would make them
		build := contract.NewBuild(contract.Cut{Target: 700 + target}, "more words", contract.Embedding{Embedder: "model", Dims: 256})
		if err := bus.BuildsOf(b).Note(t.Context(), build); err != nil {
			t.Fatal(err)
		}
	}
	serving, err := bus.BuildsOf(b).Serve(t.Context(), bus.Serving{}, ids[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.BuildsOf(b).KeepOnly(t.Context(), ids[1], serving.Build); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if _, ok, err := bus.BuildsOf(b).Get(t.Context(), id); ok != (i > 0) || err != nil {
			t.Errorf("build %d is noted: %t %v", i, ok, err)
		}
		if former, err := bus.BuildsOf(b).FormerAnalyzers(t.Context(), id); err != nil || len(former) > 0 != (i == 1) {
			t.Errorf("build %d was made with %q: %v", i, former, err)
		}
	}
	if now, err := bus.BuildsOf(b).Serving(t.Context()); err != nil || now.Build != ids[2] {
		t.Errorf("%s serves: %v", now.Build, err)
	}
}

// One process takes a generation out of the log. The others, which have its heads in
// memory, would keep them for ever, and no deletion would ever be purged.
func TestGenerationIsTakenOut_OtherProcessesForgetItsHeads(t *testing.T) {
	t.Parallel()
	server, a := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	b, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	publish := func(g document.Generation) uint64 {
		t.Helper()
		head := contract.OutputHead{Generation: g, Source: "s", Doc: "d", Path: "a.go"}
		ack := a.Publish(t.Context(), bus.Out{Subject: head.Subject(contract.StreamChunks), Header: head.Header(), Body: []byte("{}")})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		return ack.Seq
	}
	publish("code-aaaaaaaa")
	last := publish("code-bbbbbbbb")
	table := b.Outputs(contract.StreamChunks)
	if err := table.Wait(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	defer table.Observe(func(k bus.OutputKey, old, now contract.OutputHead) {
		if k.Generation == "code-aaaaaaaa" && old.Seq > 0 && now.Seq == 0 {
			close(gone)
		}
	})()
	if err := bus.GenerationsOf(a).Reclaim(t.Context(), "code-aaaaaaaa"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
	case <-t.Context().Done():
		t.Fatal("the heads stay")
	}
	if _, ok := table.Get(bus.OutputKey{Generation: "code-bbbbbbbb", Source: "s", Doc: "d"}); !ok {
		t.Error("what is built is forgotten, too")
	}
}

package indexer_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/indexer"
)

// mute is a store that answers everything but for what it holds.
type mute struct{ store.Lexical }

func (mute) IDs(context.Context, store.Scope) iter.Seq2[store.Ref, error] {
	return func(yield func(store.Ref, error) bool) {
		yield(store.Ref{}, document.Errorf(document.Unavailable, "the store does not answer"))
	}
}

// compared compares everything there is, and returns how it ended and what is
// kept of that.
func (d *deployment) compared() (sum contract.VerifySummary, kept *contract.VerifySummary) {
	d.t.Helper()
	s, err := indexer.New(config.Default().Indexer, indexer.Deps{Bus: d.bus, Version: "0.0.1",
		Generations: map[document.Generation]store.Sinks{generation: {Lexical: d.lexical, Vector: d.vector}}})
	if err == nil {
		err = s.Verify(d.t.Context(), contract.VerifyRequest{}, func(p contract.VerifyPart) error {
			if p.Summary != nil {
				sum = *p.Summary
			}
			return nil
		})
	}
	if err == nil {
		kept, err = bus.VerifiedOf(d.bus).Last(d.t.Context())
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return sum, kept
}

func (d *deployment) file(source document.Source, collection document.Collection) {
	d.t.Helper()
	h := contract.FileHead{Source: source, Doc: document.DocOf("a"), Path: "a", View: document.Worktree, Op: contract.OpPut, Collection: collection,
		Hash: document.HashOf(nil), Time: time.Now()}
	ack := d.bus.Publish(d.t.Context(), bus.Out{Subject: contract.FileSubject(h.Source, h.Doc, h.View), Header: h.Header()})[0]
	if ack.Err != nil {
		d.t.Fatal(ack.Err)
	}
}

func TestNoWatcherAnswers_VerifyIsIncomplete(t *testing.T) {
	d := deploy(t)
	sum, _ := d.compared() // of nothing: nobody knows that there is nothing
	if sum.Outcome != contract.OutcomeIncomplete || sum.Equal || sum.NotCompared == "" {
		t.Errorf("%+v", sum)
	}
	d.file("s", document.CollectionDocs) // of a generation that is not open here
	sum, kept := d.compared()
	if sum.Outcome == contract.OutcomeEqual || sum.Equal || sum.NotCompared == "" || len(sum.Sources) != 1 ||
		sum.Sources[0].Gap != contract.GapSilent || sum.Sources[0].Next == "" || sum.Sources[0].LogDocuments != 1 {
		t.Errorf("%+v", sum)
	}
	if kept == nil || kept.Outcome != sum.Outcome || len(kept.Sources) != 1 {
		t.Errorf("kept: %+v", kept)
	}
}

// watching answers for a watcher that compared the named sources.
func (d *deployment) watching(sources ...contract.VerifySource) {
	d.t.Helper()
	svc, err := rpc.NewService(d.bus, "freshet-watcher", "says that it compared", "0.0.1")
	if err == nil {
		err = rpc.StreamEndpoint(d.t.Context(), svc, rpc.Options{Name: "verify", Subject: contract.SubjectVerifyFiles},
			func(_ context.Context, _ contract.VerifyFilesRequest, send func(contract.VerifyPart) error) error {
				return send(contract.VerifyPart{Summary: &contract.VerifySummary{Equal: true, Sources: sources, Generations: []contract.VerifyGeneration{}}})
			})
	}
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = svc.Stop() })
}

func TestPlaceWasNotCompared_VerifyIsIncomplete(t *testing.T) {
	d := deploy(t)
	d.watching(contract.VerifySource{Source: "s"})
	if sum, _ := d.compared(); !sum.Equal || sum.Outcome != contract.OutcomeEqual {
		t.Fatalf("before anything is amiss: %+v", sum)
	}
	whole := d.lexical
	d.lexical = mute{whole}
	sum, _ := d.compared()
	d.lexical = whole
	if sum.Equal || sum.Outcome != contract.OutcomeIncomplete || len(sum.Generations) != 1 || sum.Generations[0].NotCompared == "" {
		t.Errorf("a store that does not tell what it holds: %+v", sum)
	}
	d.file("s", document.CollectionDocs)
	if sum, _ := d.compared(); sum.Equal || sum.NotCompared == "" || sum.Sources[0].NotCompared != "" {
		t.Errorf("a collection without stores: %+v", sum)
	}
	d.file("lost", document.CollectionDocs)
	sum, _ = d.compared()
	if len(sum.Sources) != 2 || sum.Sources[0].Source != "lost" || sum.Sources[0].Gap != contract.GapUnregistered {
		t.Errorf("a source that the list of sources lacks: %+v", sum)
	}
}

package indexer

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// The removal of a source reports each of its documents, while what was reported
// before is looked at.
func TestReportsDuringARepair_AreNotDropped(t *testing.T) {
	b := bustest.New(t)
	g := &gathering{log: slog.New(slog.DiscardHandler), docs: map[bus.RecordKey]map[docKey]bool{}, some: make(chan struct{}, 1)}
	sub, err := g.listen(b.Conn())
	if err != nil {
		t.Fatal(err)
	}
	const reported = 3000
	for i := range reported {
		js, err := json.Marshal(contract.Repair{Generation: "code-0a1b2c3d", Sink: document.Lexical, Source: "s", Doc: document.DocOf(document.Path(fmt.Sprint(i)))})
		if err == nil {
			err = b.Conn().Publish(contract.SubjectRepair, js)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for n < repairMost {
		select {
		case <-g.some:
		case <-t.Context().Done():
			t.Fatalf("%d documents were gathered", n)
		}
		for _, docs := range g.take() {
			n += len(docs)
		}
	}
	if dropped, err := sub.Dropped(); dropped > 0 || err != nil {
		t.Errorf("%d of %d reports were dropped (%v)", dropped, reported, err)
	}
}

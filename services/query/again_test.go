package query

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A switch of branches takes a file away and brings it back as it was: the same
// content, as other passages. The tables of a busy process come to that at
// different times.
func TestContentThatCameBackIsLostWhileTheTableOfPassagesLags(t *testing.T) {
	r := newRig(t)
	const content = "package a\n\nfunc Erase() { wipe(disk) }\n"
	r.stored("a.go", content)
	ask := contract.SearchRequest{Query: "Erase", Off: []string{"vector"}, Text: contract.TextFull}
	if reply := r.search(ask); len(reply.Hits) != 1 {
		t.Fatalf("%s", texts(reply))
	}
	js := r.bus.JetStream()
	stream, err := js.Stream(t.Context(), contract.StreamChunks)
	if err != nil {
		t.Fatal(err)
	}
	followers := stream.ListConsumers(t.Context())
	for c := range followers.Info() {
		if _, err := js.PauseConsumer(t.Context(), contract.StreamChunks, c.Name, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := followers.Err(); err != nil {
		t.Fatal(err)
	}
	r.remove("a.go")
	r.cutUnseen("a.go")
	for _, sink := range document.Sinks {
		r.index("a.go", sink)
	}
	r.write("a.go", content)
	for _, next := range []func(){
		func() {},
		func() { r.cutUnseen("a.go") },
		func() { r.index("a.go", document.Lexical) },
		func() { r.index("a.go", document.Vector) },
	} {
		next()
		if reply := r.search(ask); len(reply.Hits) != 1 {
			t.Errorf("%d hits, pending %+v, degraded %q", len(reply.Hits), reply.Pending, reply.Degraded)
		}
	}
}

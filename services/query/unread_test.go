package query

import (
	"bytes"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// The passages of a document are found in both indexes, and the log does not
// give them: an answer says which document it lacks, and takes nothing out of
// the indexes.
func TestPassagesThatCannotBeRead_AreToldAndKept(t *testing.T) {
	replace := func(r *rig, m *bus.Msg, body []byte) {
		header := m.Header
		for name := range header {
			if strings.HasPrefix(name, "Nats-") {
				header.Del(name)
			}
		}
		header.Del(contract.HeaderEncoding)
		header.Del(contract.HeaderClaim)
		seq := r.publish(bus.Out{Subject: m.Subject, Header: header, Body: body, Expect: m.Seq})
		if err := r.bus.Outputs(contract.StreamChunks).Wait(r.Context(), seq); err != nil {
			r.Fatal(err)
		}
	}
	damage := map[string]func(r *rig, m *bus.Msg){
		"garbage in their place": func(r *rig, m *bus.Msg) { replace(r, m, []byte("no chunks")) },
		"another text in their place": func(r *rig, m *bus.Msg) {
			body, err := m.Body(r.Context())
			if err != nil {
				r.Fatal(err)
			}
			replace(r, m, bytes.Replace(body, []byte("the heron stands"), []byte("the raven stands"), 1))
		},
		"their object is deleted": func(r *rig, m *bus.Msg) {
			name := m.Header.Get(contract.HeaderClaim)
			if name == "" {
				r.Fatal("the body lies in the message")
			}
			objects, err := r.bus.JetStream().ObjectStore(r.Context(), contract.BucketBodies)
			if err == nil {
				err = objects.Delete(r.Context(), name)
			}
			if err != nil {
				r.Fatal(err)
			}
		},
	}
	for what, do := range damage {
		t.Run(what, func(t *testing.T) {
			r := newRig(t)
			r.stored("heron.go", "the heron stands in the weir\n\n"+tooLargeForAMessage()+"\n")
			r.stored("other.go", "the heron flies\n")
			subject := contract.ChunksSubject(generation, "s", document.DocOf("heron.go"))
			do(r, r.last(contract.StreamChunks, subject))
			orphans := r.svc.counters.orphans.Load()
			reply := r.search(contract.SearchRequest{Query: "heron weir", Text: contract.TextExcerpt})
			if got := paths(reply); len(got) != 1 || got[0] != "other.go" {
				t.Errorf("hits %v", got)
			}
			told := strings.Join(reply.Degraded, "\n")
			if !strings.Contains(told, "heron.go of s") || !strings.Contains(told, "made again") {
				t.Errorf("the answer is degraded by %q", told)
			}
			if n := r.svc.counters.orphans.Load(); n != orphans {
				t.Errorf("%d passages are called orphans", n-orphans)
			}
		})
	}
}

// The chunker comes to a document right after the log was asked for its passages: that
// these are not in the answer does not mean that the log has lost them.
func TestPassagesThatComeBehindTheQuestionForThem_AreNotUnread(t *testing.T) {
	r := newRig(t)
	r.stored("broken.go", "the heron stands\n")
	m := r.last(contract.StreamChunks, contract.ChunksSubject(generation, "s", document.DocOf("broken.go")))
	r.publish(bus.Out{Subject: m.Subject, Header: contract.OutputHead{Path: "broken.go", Count: 1, Covers: contract.Covers{}.With(document.Worktree,
		contract.Cover{Version: version(r, "broken.go"), Hash: document.HashOf([]byte("the heron stands\n"))})}.Header(), Body: []byte("no chunks"), Expect: m.Seq})
	r.write("late.go", "the heron flies\n")
	e, done := r.svc.turn()
	defer done()
	asked := 0
	e.resolver = resolve.New(r.bus, resolve.NewReader(r.bus, 1<<20, func(error) {
		if asked++; asked == 2 { // the log was asked behind its heads, and has answered
			r.cut("late.go")
		}
	}), e.index, e.stores.Place)
	reply := r.search(contract.SearchRequest{Query: "heron", Text: contract.TextExcerpt})
	told := strings.Join(reply.Degraded, "\n")
	if asked < 2 || !strings.Contains(told, "broken.go of s") || strings.Contains(told, "late.go") {
		t.Errorf("asked %d times, degraded by %q", asked, told)
	}
}

func version(r *rig, name string) document.Version {
	h, _ := r.bus.Files().Get(bus.FileKey{Source: "s", Doc: document.DocOf(document.Path(name)), View: document.Worktree})
	return h.Version
}

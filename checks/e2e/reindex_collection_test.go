package e2e

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// reindexOf asks for one collection to be made again.
func (r *rig) reindexOf(c document.Collection) contract.ReindexReply {
	r.t.Helper()
	return ask[contract.ReindexRequest, contract.ReindexReply](r.t, r.bus, contract.SubjectReindex, contract.ReindexRequest{Do: contract.ReindexBegin, Collection: c})
}

// takes waits until a build answers that fits, and nothing is made beside it.
func (r *rig) takes(meanwhile func(), fits func(contract.Build) bool) contract.Build {
	r.t.Helper()
	for {
		if st := r.status(); st.Serving != nil && st.Next == nil && fits(*st.Serving) {
			return *st.Serving
		}
		meanwhile()
	}
}

// madeOf are the sequences of what the chunker and the embedder made of documents that
// nobody edits.
func (r *rig) madeOf(g document.Generation, n int) map[string]uint64 {
	r.t.Helper()
	out := map[string]uint64{}
	for i := n / 2; i < n; i++ {
		h := contract.OutputHead{Generation: g, Source: "animals", Doc: document.DocOf(document.Path("f" + strconv.Itoa(i) + ".go"))}
		for _, stream := range []string{contract.StreamChunks, contract.StreamVectors} {
			subject := h.Subject(stream)
			last, err := r.bus.GetLast(r.t.Context(), stream, subject)
			if err != nil || last[subject] == nil {
				r.t.Fatalf("%s: %v", subject, err)
			}
			out[subject] = last[subject].Seq
		}
	}
	return out
}

// outputsOf are the subjects of all that the log has of a generation.
func (r *rig) outputsOf(g document.Generation) (out []string) {
	r.t.Helper()
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed} {
		for _, s := range r.subjects(stream) {
			if strings.Contains(s, "."+string(g)+".") {
				out = append(out, s)
			}
		}
	}
	slices.Sort(out)
	return out
}

// One collection is made again while people ask and edit in both, and taken back. No
// answer fails, is empty, or shows what is gone; the other one keeps its generation and
// all that was made for it; and of what does not answer nothing is left once its grace is over.
func TestOneCollectionMadeAgain_NoAnswerFailsOrIsEmpty(t *testing.T) {
	t.Parallel()
	const n = 40
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	for i := range n {
		write(t, filepath.Join(dir, "n"+strconv.Itoa(i)+".md"), "# Notes\n\nAbout Okapi"+strconv.Itoa(i)+"z and what it eats.\n")
	}
	r := upWith(t, data, func(o *freshet.Options) { o.Config.Superseded.Grace = time.Hour }, dir)
	first := *r.status().Serving
	code, docs := first.Generation(document.CollectionCode), first.Generation(document.CollectionDocs)
	made, outputs := r.madeOf(code, n), r.outputsOf(code)
	if len(outputs) != 4*n {
		t.Fatalf("%s has %d outputs", code, len(outputs))
	}
	if _, err := client.Reindex.Ask(t.Context(), r.bus.Conn(), contract.ReindexRequest{Do: contract.ReindexBegin, Collection: "prose"}); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("a collection that is none: %v", err)
	}
	asked := askEditAll(r, dir, n)
	asked.round()
	told := r.reindexOf(document.CollectionDocs)
	if told.Documents != n {
		t.Errorf("it is said to take %+v", told)
	}
	now := r.takes(asked.round, func(b contract.Build) bool { return b.ID() != first.ID() })
	if got := now.Without(first); len(got) != 1 || got[0] != now.Generation(document.CollectionDocs) {
		t.Errorf("made anew is %v", got)
	}
	asked.rounds(n)
	if told := r.reindex(contract.ReindexTell); told.Former != first.ID() || !slices.Equal(told.Collections, []document.Collection{document.CollectionDocs}) {
		t.Errorf("afterwards %+v is told", told)
	}
	r.reindex(contract.ReindexRollback)
	r.takes(asked.round, func(b contract.Build) bool { return b.ID() == first.ID() })
	asked.rounds(n)
	r.reindexOf(document.CollectionDocs)
	now = r.takes(asked.round, func(b contract.Build) bool { return b.ID() != first.ID() })
	asked.end()
	if got := r.madeOf(code, n); !maps.Equal(got, made) || !slices.Equal(r.outputsOf(code), outputs) {
		t.Errorf("of code there was %v, is %v", made, got)
	}
	r.equal()
	r.stop()

	r = up(t, data, dir) // without grace
	for len(r.outputsOf(docs)) > 0 {
	}
	if got := len(r.outputsOf(now.Generation(document.CollectionDocs))); got != 4*n {
		t.Errorf("docs has %d outputs, want %d", got, 4*n)
	}
	for _, c := range r.consumers() {
		if strings.HasSuffix(c, string(docs)) || c == contract.ChunkerConsumer(first.ID()).Name {
			t.Errorf("the consumer %s is left", c)
		}
	}
	r.equal()
	if got := r.counter("embedder", "embedded"); got > 0 {
		t.Errorf("%d passages were embedded again", got)
	}
	r.stop()
	storesEqualLog(t, data)
}

// consumers are the names of all durable consumers of the log.
func (r *rig) consumers() (out []string) {
	r.t.Helper()
	for _, stream := range contract.Streams {
		s, err := r.bus.JetStream().Stream(r.t.Context(), stream)
		if err != nil {
			r.t.Fatal(err)
		}
		names := s.ConsumerNames(r.t.Context())
		for name := range names.Name() {
			out = append(out, name)
		}
	}
	return out
}

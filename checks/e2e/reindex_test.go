package e2e

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// reindex asks for the index to be made again, or to go back.
func (r *rig) reindex(do string) contract.ReindexReply {
	r.t.Helper()
	return ask[contract.ReindexRequest, contract.ReindexReply](r.t, r.bus, contract.SubjectReindex, contract.ReindexRequest{Do: do})
}

// again waits until answers are made of the index that was made so many times again.
func (r *rig) again(want int, meanwhile func()) contract.Build {
	r.t.Helper()
	for {
		if st := r.status(); st.Serving != nil && st.Serving.Again == want && st.Next == nil {
			return *st.Serving
		}
		meanwhile()
	}
}

// The index is made again while people ask and edit, twice, and the second one is taken
// back. No answer fails, is empty, or shows what is gone; no vector is made again; and of
// what does not answer nothing is left once its grace is over.
func TestIndexIsMadeAgain_AnswersAreWholeAndFresh(t *testing.T) {
	t.Parallel()
	const n = 40
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	r := upWith(t, data, func(o *freshet.Options) { o.Config.Superseded.Grace = time.Hour }, dir)
	first := *r.status().Serving
	told := r.reindex(contract.ReindexTell)
	if told.Documents != n || told.Passages < n || told.Vectors != told.Passages || told.Next != "" || told.Former != "" {
		t.Errorf("it is said to take %+v", told)
	}
	if _, err := client.Reindex.Ask(t.Context(), r.bus.Conn(), contract.ReindexRequest{Do: contract.ReindexRollback}); document.KindOf(err) != document.NotFound {
		t.Errorf("going back to nothing: %v", err)
	}
	asked := askEdit(r, dir, n)
	asked.round()
	r.reindex(contract.ReindexBegin)
	if got := r.again(1, asked.round); got.ID() == first.ID() || len(first.Changes(got)) != 1 || first.Changes(got)[0].Field != contract.FieldAgain {
		t.Errorf("%+v takes the place of %+v", got, first)
	}
	asked.rounds(n)
	if told := r.reindex(contract.ReindexTell); told.Former != first.ID() {
		t.Errorf("of %s is gone back to %q", first.ID(), told.Former)
	}
	r.reindex(contract.ReindexRollback)
	if got := r.again(0, asked.round); got.ID() != first.ID() {
		t.Errorf("%+v answers, not %+v", got, first)
	}
	asked.rounds(n)
	asked.end()
	r.equal()
	r.stop()

	r = up(t, data, dir) // without grace
	r.left(first.ID())
	if got := r.reindex(contract.ReindexBegin); got.Former != first.ID() {
		t.Errorf("what is begun is left for %q", got.Former)
	}
	now := r.again(2, func() {})
	r.left(now.ID())
	r.equal()
	if got := r.counter("embedder", "embedded"); got > 0 {
		t.Errorf("%d passages were embedded again", got)
	}
	r.stop()
	storesEqualLog(t, data)
}

// Whoever kills it while the index is made again has lost nothing: it goes on at the next
// start, and what was there answers until then.
func TestKillWhileTheIndexIsMadeAgain_LosesNothing(t *testing.T) {
	t.Parallel()
	const n = 200
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	args := []string{dir, "--data", data, "--nats-port", "0"}
	p := start(t, nil, args...)
	r := attach(t, p.url, data)
	before := *r.status().Serving
	r.reindex(contract.ReindexBegin)
	for i := range 3 {
		p.kill()
		p = start(t, nil, args...)
		r = attach(t, p.url, data)
		word := "Zebra" + strconv.Itoa(i) + "x"
		r.shows("latest", word, "animals/f"+strconv.Itoa(i)+".go")
	}
	now := r.again(1, func() {})
	if got := before.Changes(now); len(got) != 1 {
		t.Errorf("it differs in %+v", got)
	}
	r.left(now.ID())
	r.equal()
	p.stop()
	storesEqualLog(t, data)
}

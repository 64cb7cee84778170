package e2e

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// providerDims is another length than that of the bundled model.
const providerDims = 96

func provided(s *embedtest.Server) func(*freshet.Options) {
	return func(o *freshet.Options) {
		e := &o.Config.Embedder
		e.Provider, e.URL, e.Key, e.Model, e.Dimensions = config.OpenAI, s.URL()+"/v1", embedtest.Secret, "walrus-embed", providerDims
	}
}

// While the server of vectors is away, documents wait and are found by their words.
// Nothing of them is lost or given up, and the server has them when it is back. A
// text that it refuses is given up alone.
func TestProviderOfVectorsIsAway_NothingIsLost(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, 3)
	s := embedtest.Start(t, providerDims)
	r := upWith(t, data, provided(s), dir)
	r.shows("latest", "Zebra1x", "animals/f1.go")
	if rep := r.search(contract.SearchRequest{Query: "Zebra2x", Off: []string{"lexical"}}); len(rep.Hits) == 0 || rep.Hits[0].Path != "f2.go" || len(rep.Degraded) > 0 {
		t.Errorf("by vectors alone: %+v", rep)
	}

	s.Change(func(s *embedtest.Server) {
		s.Fault = func(w http.ResponseWriter, _ embedtest.Asked) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	})
	write(t, filepath.Join(dir, "late.go"), goFile("Giraffe"))
	token := r.look(filepath.Join(dir, "late.go")).String()
	rep := ask[contract.SearchRequest, contract.SearchReply](t, r.bus, contract.SubjectSearch, contract.SearchRequest{Query: "Giraffe", Token: token, Text: contract.TextFull, DeadlineMS: 1500})
	if len(found(rep, "Giraffe")) != 1 || !strings.Contains(strings.Join(rep.Degraded, "\n"), "has trouble (status 503)") || len(rep.Pending) != 1 || len(rep.Failed) > 0 {
		t.Errorf("without vectors: %d hits, degraded %q, pending %+v, failed %+v", len(rep.Hits), rep.Degraded, rep.Pending, rep.Failed)
	}
	for !strings.Contains(strings.Join(r.status().Degraded, "\n"), "embedder: passages wait for their vectors") {
	}

	s.Change(func(s *embedtest.Server) { s.Fault, s.Refused = nil, []string{"Poison"} })
	r.shows(token, "Giraffe", "animals/late.go")
	write(t, filepath.Join(dir, "bad.go"), goFile("Poison"))
	write(t, filepath.Join(dir, "good.go"), goFile("Heron"))
	token = r.look(dir).String()
	r.shows(token, "Heron", "animals/good.go")
	rep = r.search(contract.SearchRequest{Query: "Poison", Token: token})
	if len(rep.Failed) != 1 || rep.Failed[0].Path != "bad.go" || !strings.Contains(rep.Failed[0].Reason, "has no vector for the text") || len(found(rep, "Poison")) != 1 {
		t.Errorf("a text that is refused: %d hits, failed %+v", len(rep.Hits), rep.Failed)
	}
	for text, n := range s.Times() {
		if n > 1 && !strings.HasPrefix(text, "freshet") {
			t.Errorf("%.40q was embedded %d times", text, n)
		}
	}
}

// An index moves from the bundled model to a server's, of vectors of another length,
// while it answers. Killed in the middle it goes on, and has nothing embedded again
// but what was in hand.
func TestKillWhileTheIndexMovesToAProvider_LosesNothing(t *testing.T) {
	t.Parallel()
	const n = 120
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	args := []string{dir, "--data", data, "--nats-port", "0"}
	start(t, nil, args...).stop()

	s := embedtest.Start(t, providerDims)
	stuck, once := make(chan struct{}), 0
	fault := func(w http.ResponseWriter, _ embedtest.Asked) bool {
		if once++; once == 5 {
			close(stuck)
		}
		if once >= 5 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return once >= 5
	}
	s.Change(func(s *embedtest.Server) { s.Fault = fault }) // another process asks
	env := []string{
		"FRESHET_EMBEDDER_PROVIDER=openai", "FRESHET_EMBEDDER_URL=" + s.URL() + "/v1", "FRESHET_EMBEDDER_KEY=" + embedtest.Secret,
		"FRESHET_EMBEDDER_MODEL=walrus-embed", "FRESHET_EMBEDDER_DIMENSIONS=" + strconv.Itoa(providerDims),
	}
	p := start(t, env, args...)
	r := attach(t, p.url, data)
	<-stuck
	st := r.status()
	if st.Next == nil || st.Serving.Provider != "" || len(st.Next.Changes) != 3 || st.Next.Changes[0] != (contract.BuildChange{Field: "embedder.provider", Before: "static", Now: "openai"}) {
		t.Fatalf("%+v serves, %+v is built", st.Serving, st.Next)
	}
	r.shows("latest", "Zebra7x", "animals/f7.go")
	p.kill()

	s.Change(func(s *embedtest.Server) { s.Fault = nil })
	p = start(t, env, args...)
	r = attach(t, p.url, data)
	r.replaced()
	now := r.status().Serving
	if now.Provider != "openai" || now.Model != "walrus-embed" || now.Dims != providerDims {
		t.Errorf("%+v serves", now)
	}
	for i := range 3 {
		word := "Zebra" + strconv.Itoa(i) + "x"
		r.shows("latest", word, "animals/f"+strconv.Itoa(i)+".go")
	}
	r.left(now.ID())
	r.equal()
	again := 0
	for text, times := range s.Times() {
		if !strings.HasPrefix(text, "freshet") {
			again += times - 1
		}
	}
	if most := 2 * config.Default().Embedder.Batch; again > most {
		t.Errorf("%d texts were embedded twice, at most %d were in hand", again, most)
	}
	p.stop()
}

// Another size of passages leaves those as they were that are smaller than either. Their
// vectors are there: the server, which has a price, is asked for the others alone, by
// a build that begins after a restart, too.
func TestPassageThatStaysInAnotherSize_IsNotEmbeddedAgain(t *testing.T) {
	t.Parallel()
	const n = 12
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	long := "package animals\n"
	for i := range 40 { // which other sizes cut elsewhere
		long += "\n" + strings.TrimPrefix(goFile("Heron"+strconv.Itoa(i)+"x"), "package a\n")
	}
	write(t, filepath.Join(dir, "long.go"), long)
	s := embedtest.Start(t, providerDims)
	r := upWith(t, data, provided(s), dir)
	r.stop()
	before := len(s.Times())

	r = upWith(t, data, func(o *freshet.Options) {
		provided(s)(o)
		o.Config.Chunker.Target /= 2
	}, dir)
	r.replaced()
	if now := len(s.Times()); now == before {
		t.Error("no passage is another one, so that the test shows nothing")
	}
	for text, n := range s.Times() {
		if n > 1 && (strings.Contains(text, "Zebra") || strings.Contains(text, "Heron")) {
			t.Errorf("%.60q was embedded %d times", text, n)
		}
	}
	if reused := r.counter("embedder", "reused"); reused < n {
		t.Errorf("%d vectors were taken over", reused)
	}
	r.left(r.status().Serving.ID())
	r.equal()
	r.shows("latest", "Zebra3x", "animals/f3.go")
}

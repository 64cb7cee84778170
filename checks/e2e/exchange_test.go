package e2e

import (
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// otherDims is another length than either that the tests have.
const otherDims = 48

// ownOf is a server as the embedder of a collection.
func ownOf(s *embedtest.Server, model string, dims int) config.OwnEmbedder {
	return config.OwnEmbedder{Provider: config.OpenAI, URL: s.URL() + "/v1", Key: embedtest.Secret, Model: model, Dimensions: dims}
}

// Code and documentation exchange their embedders, of vectors of different lengths, while
// people ask and edit. Then the server that has code now goes away: new code is found by
// its words and waits, and documentation has its vectors. Once it is back, nothing waits.
func TestCollectionsExchangeTheirEmbedders_AnswersAreWholeAndFresh(t *testing.T) {
	t.Parallel()
	const n = 20
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	notes(t, dir, n)
	walrus, heron := embedtest.Start(t, providerDims), embedtest.Start(t, otherDims)
	ofWalrus, ofHeron := ownOf(walrus, "walrus-embed", providerDims), ownOf(heron, "heron-embed", otherDims)
	var f file
	r := upWith(t, data, func(o *freshet.Options) {
		o.Config.Collections.Code.Embedder, o.Config.Collections.Docs.Embedder = ofWalrus, ofHeron
		f.editable(o)
	}, dir)
	first := *r.status().Serving
	asked := askEditAll(r, dir, n)
	f.edit(func(c *config.Config) { c.Collections.Code.Embedder, c.Collections.Docs.Embedder = ofHeron, ofWalrus })
	var told contract.ReloadReply
	asked.during(func() { told = r.reload(contract.ReloadBegin) })
	now := r.takes(asked.round, func(b contract.Build) bool { return b.ID() == told.Build })
	asked.rounds(n)
	asked.end()
	for c, was := range map[document.Collection]document.Collection{document.CollectionCode: document.CollectionDocs, document.CollectionDocs: document.CollectionCode} {
		if now.Of(c).Embedder != first.Of(was).Embedder || now.Of(c).Dims != first.Of(was).Dims {
			t.Errorf("%s has %+v, and %s had %+v", c, now.Of(c).Embedding, was, first.Of(was).Embedding)
		}
	}
	r.equal()

	heron.Change(func(s *embedtest.Server) {
		s.Fault = func(w http.ResponseWriter, _ embedtest.Asked) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	})
	late := filepath.Join(dir, "late.go")
	write(t, late, goFile("Pangolin"))
	token := r.look(late).String()
	rep := ask[contract.SearchRequest, contract.SearchReply](t, r.bus, contract.SubjectSearch, contract.SearchRequest{Query: "Pangolin", Token: token, Text: contract.TextFull, DeadlineMS: 1500})
	if !slices.Contains(found(rep, "Pangolin"), "animals/late.go") || len(rep.Pending) != 1 || len(rep.Failed) > 0 || !strings.Contains(strings.Join(rep.Degraded, "\n"), "code: ") {
		t.Errorf("without its vectors: degraded %q, pending %+v, failed %+v, %+v", rep.Degraded, rep.Pending, rep.Failed, found(rep, "Pangolin"))
	}
	if rep := r.near("About Okapi8z and what it eats.", document.CollectionDocs); len(rep.Degraded) > 0 || len(found(rep, "Okapi8z")) == 0 {
		t.Errorf("docs by vectors alone: degraded %q, %+v", rep.Degraded, rep.Hits)
	}
	heron.Change(func(s *embedtest.Server) { s.Fault = nil })
	r.shows(token, "Pangolin", "animals/late.go")
	r.equal()
}

// A configuration is read again, and the process is killed while what it says is built. The
// next start goes on, and has nothing embedded again but what was in hand.
func TestKillAfterAReload_EmbedsNothingAgain(t *testing.T) {
	t.Parallel()
	const n = 120
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	notes(t, dir, n)
	s := embedtest.Start(t, providerDims)
	stuck := make(chan struct{})
	var batches atomic.Int32
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(w http.ResponseWriter, a embedtest.Asked) bool {
			if slices.Contains(a.Texts, "freshet") {
				return false
			}
			now := batches.Add(1)
			if now == 4 {
				close(stuck)
			}
			if now >= 4 {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
			}
			return now >= 4
		}
	})
	file := filepath.Join(data, "freshet.yaml")
	write(t, file, "log: warn\n")
	args := []string{dir, "--data", data, "--nats-port", "0"}
	p := start(t, nil, args...)
	r := attach(t, p.url, data)
	write(t, file, "collections:\n  docs:\n    embedder:\n      provider: openai\n      model: walrus-embed\n      url: "+s.URL()+"/v1\n      key: "+embedtest.Secret+"\n      dimensions: "+strconv.Itoa(providerDims)+"\n")
	told, err := client.Reload.Ask(t.Context(), r.bus.Conn(), contract.ReloadRequest{Do: contract.ReloadBegin})
	if err != nil {
		t.Fatal(err)
	}
	<-stuck
	p.kill()

	s.Change(func(s *embedtest.Server) { s.Fault = nil })
	p = start(t, nil, args...)
	r = attach(t, p.url, data)
	r.takes(func() {}, func(b contract.Build) bool { return b.ID() == told.Build })
	r.equal()
	again := 0
	for text, times := range s.Times() {
		if strings.Contains(text, "Okapi") {
			again += times - 1
		}
	}
	if most := 2 * config.Default().Embedder.Batch; again > most {
		t.Errorf("%d texts were embedded twice, at most %d were in hand", again, most)
	}
	p.stop()
}

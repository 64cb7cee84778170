package e2e

import (
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// docsBy has a server make the vectors of documentation, and nobody else's.
func docsBy(s *embedtest.Server) func(*freshet.Options) {
	return func(o *freshet.Options) {
		e := &o.Config.Collections.Docs.Embedder
		e.Provider, e.URL, e.Key, e.Model, e.Dimensions = config.OpenAI, s.URL()+"/v1", embedtest.Secret, "walrus-embed", providerDims
	}
}

// notes makes documentation, of which each file has a word of its own.
func notes(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		write(t, filepath.Join(dir, "n"+strconv.Itoa(i)+".md"), "# Notes\n\nAbout Okapi"+strconv.Itoa(i)+"z and what it eats.\n")
	}
}

// near asks by vectors alone.
func (r *rig) near(query string, of ...document.Collection) contract.SearchReply {
	r.t.Helper()
	return r.search(contract.SearchRequest{Query: query, Collections: of, Off: []string{"lexical"}})
}

// Documentation moves to the model of a server while people ask and edit. No answer fails
// or is empty, the vectors of code stay as they are and where they are, and the server
// gets no code. While it is away, the vectors of code answer all the same, and who is
// away is named.
func TestDocsMoveToAnotherEmbedder_CodeStaysAsItIs(t *testing.T) {
	t.Parallel()
	const n = 40
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	notes(t, dir, n)
	r := up(t, data, dir)
	first := *r.status().Serving
	code := first.Generation(document.CollectionCode)
	made := r.madeOf(code, n)
	r.stop()

	s := embedtest.Start(t, providerDims)
	opened := make(chan struct{})
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(w http.ResponseWriter, a embedtest.Asked) bool {
			if !a.Query {
				<-opened
			}
			return false
		}
	})
	r = upWith(t, data, docsBy(s), dir)
	if st := r.status(); st.Next == nil || st.Serving.ID() != first.ID() || len(st.Next.Changes) != 3 || st.Next.Changes[0] != (contract.BuildChange{Field: "embedder.provider of docs", Before: "static", Now: "openai"}) {
		t.Fatalf("%+v serves, %+v is built", st.Serving, st.Next)
	}
	asked := askEditAll(r, dir, n)
	asked.round()
	close(opened)
	now := r.takes(asked.round, func(b contract.Build) bool { return b.ID() != first.ID() })
	asked.rounds(n)
	asked.end()
	if got := now.Without(first); len(got) != 1 || got[0] != now.Generation(document.CollectionDocs) {
		t.Errorf("made anew is %v", got)
	}
	if got := now.Of(document.CollectionDocs); got.Provider != "openai" || got.Dims != providerDims || now.Of(document.CollectionCode).Embedder != first.Embedder {
		t.Errorf("%+v serves", now)
	}
	if got := r.madeOf(code, n); !maps.Equal(got, made) {
		t.Errorf("of code there was %v, is %v", made, got)
	}
	for text := range s.Times() {
		if strings.HasSuffix(text, "return 1\n}\n") || strings.Contains(text, "package a\n") {
			t.Fatalf("code was sent to the server: %q", text)
		}
	}
	r.equal()

	// A question that has both in scope is embedded once by each.
	before := len(s.Asked())
	rep := r.near("what does the Okapi7z eat")
	if len(rep.Degraded) > 0 || len(rep.Hits) == 0 {
		t.Errorf("by vectors alone: degraded %q, %+v", rep.Degraded, rep.Hits)
	}
	questions := 0
	for _, a := range s.Asked()[before:] {
		if slices.Contains(a.Texts, "what does the Okapi7z eat") {
			questions++
		}
	}
	if questions != 1 {
		t.Errorf("the question was sent %d times", questions)
	}
	if rep := r.near("About Okapi8z and what it eats.", document.CollectionDocs); len(rep.Degraded) > 0 || len(found(rep, "Okapi8z")) == 0 {
		t.Errorf("docs by vectors alone: degraded %q, %+v", rep.Degraded, rep.Hits)
	}
	if rep := r.near("Zebra27x", document.CollectionCode); len(rep.Degraded) > 0 || len(rep.Hits) == 0 || len(found(rep, "Zebra27x")) == 0 {
		t.Errorf("code by vectors alone: degraded %q, %+v", rep.Degraded, rep.Hits)
	}

	s.Change(func(s *embedtest.Server) {
		s.Fault = func(w http.ResponseWriter, _ embedtest.Asked) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	})
	rep = r.near("Zebra28x by two models")
	if len(rep.Degraded) != 1 || !strings.HasPrefix(rep.Degraded[0], "vector: docs: ") || len(rep.Hits) == 0 || rep.Hits[0].Collection != document.CollectionCode {
		t.Errorf("one model is away: degraded %q, %+v", rep.Degraded, rep.Hits)
	}
	if rep := r.search(contract.SearchRequest{Query: "Okapi9z without its model"}); len(found(rep, "Okapi9z")) == 0 || len(rep.Degraded) != 1 {
		t.Errorf("by its words: degraded %q, %+v", rep.Degraded, rep.Hits)
	}
}

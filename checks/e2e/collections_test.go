package e2e

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

const (
	zoo      = document.Collection("code-zoo")
	handbook = document.Collection("docs-handbook")
)

// collected has two collections of their own, of which one has its vectors from a server.
func collected(s *embedtest.Server) func(*freshet.Options) {
	return func(o *freshet.Options) {
		o.Config.Collections.Own = []config.OwnCollection{
			{Name: string(handbook), Paths: []string{"handbook"}, Sources: []string{"animals"}, Embedder: config.OwnEmbedder{
				Provider: config.OpenAI, URL: s.URL() + "/v1", Key: embedtest.Secret, Model: "walrus-embed", Dimensions: providerDims,
			}},
			{Name: string(zoo), Paths: []string{"f?.go"}, Embedder: config.OwnEmbedder{Provider: config.Shared}},
		}
	}
}

// gathered are the collections of the hits of a question that hold a word.
func gathered(rep contract.SearchReply, word string) (out []document.Collection) {
	for _, h := range rep.Hits {
		if strings.Contains(h.Text, word) && !slices.Contains(out, h.Collection) {
			out = append(out, h.Collection)
		}
	}
	return out
}

// Two collections are configured, and taken away again, while people ask and edit. No
// answer fails or is empty; each document is in the one collection that it belongs to;
// the server of one gets no text of another; and the log, the sources and the stores agree.
func TestCollectionsComeAndGo_EveryDocumentIsFoundMeanwhile(t *testing.T) {
	t.Parallel()
	const n = 40
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	notes(t, filepath.Join(dir, "handbook"), n)
	write(t, filepath.Join(dir, "other.md"), "# Others\n\nThe Quokka is not in the handbook.\n")
	r := up(t, data, dir)
	first := *r.status().Serving
	r.stop()

	s := embedtest.Start(t, providerDims)
	opened := make(chan struct{})
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(_ http.ResponseWriter, a embedtest.Asked) bool {
			if !a.Query {
				<-opened
			}
			return false
		}
	})
	r = upWith(t, data, collected(s), dir)
	if st := r.status(); st.Next == nil || st.Serving.ID() != first.ID() || !slices.ContainsFunc(st.Next.Changes, func(c contract.BuildChange) bool {
		return c == contract.BuildChange{Field: "collections", Before: "code, docs", Now: "code, docs, code-zoo, docs-handbook"}
	}) {
		t.Fatalf("%+v serves, %+v is built", st.Serving, st.Next)
	}
	asked := askEditAll(r, dir, n)
	asked.round()
	close(opened)
	now := r.takes(asked.round, func(b contract.Build) bool { return b.ID() != first.ID() })
	asked.rounds(n)
	asked.end()
	r.equal()
	for text := range s.Times() {
		if strings.Contains(text, "package a\n") || strings.Contains(text, "Quokka") {
			t.Fatalf("the server of the handbook was sent %q", text)
		}
	}
	for _, c := range []struct {
		query string
		of    []document.Collection
		want  document.Collection
	}{
		{"Okapi7z", nil, handbook}, {"Okapi7z", []document.Collection{handbook}, handbook}, {"Okapi7z", []document.Collection{zoo, document.CollectionDocs}, ""},
		{"Zebra28x", nil, document.CollectionCode}, {"Quokka", nil, document.CollectionDocs}, {"package a", []document.Collection{zoo}, zoo},
	} {
		got := gathered(r.search(contract.SearchRequest{Query: c.query, Collections: c.of}), c.query)
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Equal(got, []document.Collection{c.want}) {
			t.Errorf("%s of %v is in %v, want %s", c.query, c.of, got, c.want)
		}
	}

	r.addAPI("given")
	put := ask[contract.PutRequest, contract.WriteReply](t, r.bus, contract.SubjectPut, contract.PutRequest{Source: "given", Documents: []contract.PutDocument{
		{Path: "a.md", Text: new("The Wombat was given.\n"), Collection: handbook},
		{Path: "handbook/b.md", Text: new("The Numbat was given.\n")}, // the path counts in animals alone
		{Path: "c.md", Text: new("x\n"), Collection: "docs-none"},
	}})
	if e := put.Documents[2].Error; e == nil || e.Kind != document.InvalidRequest || !strings.Contains(e.Message, "docs-handbook") {
		t.Errorf("put into what there is not: %+v", e)
	}
	for word, want := range map[string]document.Collection{"Wombat": handbook, "Numbat": document.CollectionDocs} {
		if got := gathered(r.find(word, put.Token.String()), word); !slices.Equal(got, []document.Collection{want}) {
			t.Errorf("%s is in %v, want %s", word, got, want)
		}
	}
	r.stop()

	r = up(t, data, dir)
	asked = askEditAll(r, dir, n)
	without := r.takes(asked.round, func(b contract.Build) bool { return b.ID() != now.ID() })
	asked.rounds(n)
	asked.end()
	if without.ID() != first.ID() {
		t.Errorf("without collections the build is %s, before it was %s", without.ID(), first.ID())
	}
	if got := gathered(r.find("Wombat", ""), "Wombat"); !slices.Equal(got, []document.Collection{document.CollectionDocs}) {
		t.Errorf("what was put into a collection that is gone is in %v", got)
	}
	if differences, sum := r.verify(contract.VerifyRequest{}); len(differences) > 0 || !sum.Equal || sum.Pending > 0 {
		t.Errorf("not equal: %+v, %d pending", differences, sum.Pending)
	}
}

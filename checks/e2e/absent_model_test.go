package e2e

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// The model of documentation is gone at a start. Nothing is embedded by another in its
// place: documentation is found by its words, new passages wait, code has its vectors,
// and one warning names the folder. When the model is back, what waited gets its vectors,
// and nothing else is embedded.
func TestModelOfDocsCannotBeLoaded_WordsAnswerAndItIsNamed(t *testing.T) {
	t.Parallel()
	const n = 4
	data, dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "animals"), embedtest.Folder(t)
	words(t, dir, n)
	notes(t, dir, n)
	var log bytes.Buffer
	own := func(o *freshet.Options) {
		o.Config.Collections.Docs.Embedder = config.OwnEmbedder{Provider: config.Static, Model: folder}
		o.Config.Embedder.Lease = 2 * time.Second // after which what nobody could embed is handed out again
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	r := upWith(t, data, own, dir)
	first := *r.status().Serving
	if len(first.Embedders()) != 2 {
		t.Fatalf("%+v serves", first)
	}
	r.stop()

	if err := os.Rename(folder, folder+"-gone"); err != nil {
		t.Fatal(err)
	}
	log.Reset()
	r = upWith(t, data, own, dir)
	st := r.status()
	if st.Serving.ID() != first.ID() || st.Next != nil {
		t.Errorf("%+v serves, %+v is built", st.Serving, st.Next)
	}
	if all := strings.Join(st.Degraded, "\n"); !strings.Contains(all, "embedder: docs: passages wait for their vectors") || !strings.Contains(all, folder) {
		t.Errorf("the status says %q", st.Degraded)
	}
	rep := r.search(contract.SearchRequest{Query: "Okapi1z"})
	if len(found(rep, "Okapi1z")) == 0 || len(rep.Degraded) != 1 || !strings.HasPrefix(rep.Degraded[0], "vector: docs: ") || !strings.Contains(rep.Degraded[0], folder) {
		t.Errorf("degraded %q, %+v", rep.Degraded, rep.Hits)
	}
	if rep := r.near("Zebra1x", document.CollectionCode); len(rep.Degraded) > 0 || len(found(rep, "Zebra1x")) == 0 {
		t.Errorf("code: degraded %q, %+v", rep.Degraded, rep.Hits)
	}
	late := filepath.Join(dir, "late.md")
	write(t, late, "# Late\n\nAbout Tapirz.\n")
	token := r.look(late).String()
	rep = ask[contract.SearchRequest, contract.SearchReply](t, r.bus, contract.SubjectSearch, contract.SearchRequest{Query: "Tapirz", Token: token, Text: contract.TextFull, DeadlineMS: 1500})
	if len(found(rep, "Tapirz")) != 1 || len(rep.Pending) != 1 || len(rep.Failed) > 0 {
		t.Errorf("a new document: %d hits, pending %+v, failed %+v", len(rep.Hits), rep.Pending, rep.Failed)
	}
	r.stop()
	if got := strings.Count(log.String(), "searched by its words alone"); got != 1 || !strings.Contains(log.String(), folder) {
		t.Errorf("warned %d times: %s", got, log.String())
	}

	if err := os.Rename(folder+"-gone", folder); err != nil {
		t.Fatal(err)
	}
	r = upWith(t, data, own, dir)
	r.shows(token, "Tapirz", "animals/late.md")
	if got := r.counter("embedder", "embedded"); got != 1 {
		t.Errorf("%d passages were embedded", got)
	}
	if rep := r.search(contract.SearchRequest{Query: "Okapi1z"}); len(rep.Degraded) > 0 {
		t.Errorf("degraded %q", rep.Degraded)
	}
	r.equal()
}

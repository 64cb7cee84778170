package e2e

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// file is a configuration that somebody edits while freshet runs.
type file struct {
	mu  sync.Mutex
	cfg config.Config
}

func (f *file) read() (config.Config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cfg, f.cfg.Validate()
}

func (f *file) edit(change func(*config.Config)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.cfg)
}

// editable begins with what a run is started with.
func (f *file) editable(o *freshet.Options) { f.cfg, o.Reload = o.Config, f.read }

func (r *rig) reload(do string) contract.ReloadReply {
	r.t.Helper()
	return ask[contract.ReloadRequest, contract.ReloadReply](r.t, r.bus, contract.SubjectReload, contract.ReloadRequest{Do: do})
}

func (r *rig) noReload(want document.ErrorKind, says string) {
	r.t.Helper()
	_, err := client.Reload.Ask(r.t.Context(), r.bus.Conn(), contract.ReloadRequest{Do: contract.ReloadBegin})
	if document.KindOf(err) != want || !strings.Contains(err.Error(), says) {
		r.t.Errorf("the reload ends with %v, not with %s about %q", err, want, says)
	}
}

// Documentation moves to a server, which moves then, and back again, while
// people ask and edit and nothing is started again. No answer fails or is empty, code
// stays as it is, and what cannot work is refused before anything is changed.
func TestConfigurationIsReadAgain_AnswersAreWholeAndFresh(t *testing.T) {
	t.Parallel()
	const n = 30
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	notes(t, dir, n)
	s := embedtest.Start(t, providerDims)
	var f file
	r := upWith(t, data, func(o *freshet.Options) {
		o.Config.Superseded.Grace = time.Hour
		f.editable(o)
	}, dir)
	first := *r.status().Serving
	if told := r.reload(contract.ReloadBegin); told.Build != first.ID() || len(told.Taken)+len(told.Later)+len(told.Changes)+told.Documents > 0 {
		t.Errorf("nothing was edited, and is told as %+v", told)
	}

	docs := func(change func(*config.OwnEmbedder)) func(*config.Config) {
		return func(c *config.Config) { change(&c.Collections.Docs.Embedder) }
	}
	f.edit(docs(func(e *config.OwnEmbedder) { e.Provider = config.OpenAI }))
	r.noReload(document.InvalidRequest, "collections.docs.embedder.model is missing")
	f.edit(docs(func(e *config.OwnEmbedder) {
		e.URL, e.Key, e.Model, e.Dimensions = s.URL()+"/v1", "wrong", "walrus-embed", providerDims
	}))
	r.noReload(document.InvalidRequest, "does not accept the key")
	f.edit(docs(func(e *config.OwnEmbedder) { e.Key, e.Price = embedtest.Secret, 2 }))
	f.edit(func(c *config.Config) { c.Query.K++ })
	told := r.reload(contract.ReloadTell)
	if told.Serving != first.ID() || told.Build == first.ID() || told.Documents != n || told.Kept != n || told.Passages < n || told.Tokens == 0 || told.Cost == 0 || told.Disk == 0 {
		t.Errorf("told is %+v", told)
	}
	if !slices.Contains(told.Taken, "collections.docs.embedder.key") || !slices.Equal(told.Later, []string{"query.k"}) || len(told.Changes) != 3 {
		t.Errorf("told is %+v", told)
	}
	if st := r.status(); st.Next != nil || len(s.Times()) > 1 {
		t.Errorf("to be told has %+v made", st.Next)
	}

	opened := make(chan struct{})
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(_ http.ResponseWriter, a embedtest.Asked) bool {
			if !a.Query && !slices.Contains(a.Texts, "freshet") {
				<-opened
			}
			return false
		}
	})
	asked := askEditAll(r, dir, n)
	asked.round()
	asked.during(func() {
		if got := r.reload(contract.ReloadBegin); got.Build != told.Build {
			t.Errorf("begun is %s, told was %s", got.Build, told.Build)
		}
	})
	f.edit(func(c *config.Config) { c.Chunker.Target++ })
	asked.during(func() { r.noReload(document.Conflict, "another index is built already") })
	f.edit(func(c *config.Config) { c.Chunker.Target-- })
	close(opened)
	now := r.takes(asked.round, func(b contract.Build) bool { return b.ID() == told.Build })
	if got := now.Without(first); len(got) != 1 || got[0] != now.Generation(document.CollectionDocs) {
		t.Errorf("made anew is %v", got)
	}

	// The server moves, which builds nothing.
	moved := embedtest.Start(t, providerDims)
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(w http.ResponseWriter, _ embedtest.Asked) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
	})
	f.edit(docs(func(e *config.OwnEmbedder) { e.URL = moved.URL() + "/v1" }))
	asked.during(func() {
		if got := r.reload(contract.ReloadBegin); got.Build != now.ID() || len(got.Changes) > 0 || !slices.Equal(got.Taken, []string{"collections.docs.embedder.url"}) {
			t.Errorf("another place is told as %+v", got)
		}
	})
	late := filepath.Join(dir, "late.md")
	write(t, late, "# Notes\n\nAbout Walruses and what they eat.\n")
	asked.during(func() { r.shows(r.look(late).String(), "Walruses", "animals/late.md") })
	if got := len(moved.Times()); got < 2 {
		t.Errorf("the server has seen %d texts where it is now", got)
	}

	f.edit(docs(func(e *config.OwnEmbedder) { *e = config.OwnEmbedder{Provider: config.Shared} }))
	asked.during(func() {
		// Beside the late one, a file of code that is edited just now may have no vector yet.
		if got := r.reload(contract.ReloadBegin); got.Build != first.ID() || got.Documents < 1 || got.Documents > 2 {
			t.Errorf("going back is told as %+v", got)
		}
	})
	r.takes(asked.round, func(b contract.Build) bool { return b.ID() == first.ID() })
	asked.rounds(n)
	asked.end()
	r.equal()
	r.stop()
	storesEqualLog(t, data)
}

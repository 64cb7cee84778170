package cli_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	"github.com/freshet-dev/freshet/pkg/render"
)

// hindered checks what is said of why the embedder of documentation, or of all, is not the
// one that somebody has chosen.
func hindered(t *testing.T, data string, want render.Reason, says ...string) {
	t.Helper()
	var list render.Embedders
	if err := json.Unmarshal([]byte(must(t, "embedder", "list", "--data", data, "--json")), &list); err != nil {
		t.Fatal(err)
	}
	why := list.Why
	for _, one := range list.Embedders {
		switch {
		case one.Collection == document.CollectionDocs && one.Why != nil:
			why = one.Why
		case one.Why != nil:
			t.Errorf("of %s is said %+v", one.Collection, one.Why)
		}
	}
	if want == "" {
		if why != nil {
			t.Errorf("nothing hinders it, and said is %+v", why)
		}
		return
	}
	if why == nil || why.Reason != want {
		t.Fatalf("said is %+v, not %s", why, want)
	}
	text := must(t, "embedder", "list", "--data", data)
	for _, s := range append(says, why.Says) {
		if !strings.Contains(text, s) {
			t.Errorf("%q is not said in\n%s", s, text)
		}
	}
}

// Somebody writes an embedder into a configuration and finds another one in use. The list
// says why, and what to do.
func TestChosenEmbedderIsNotInUse_ListSaysWhy(t *testing.T) {
	t.Parallel()
	s := embedtest.Start(t, 96)
	opened := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(opened) })
	t.Cleanup(goOn)
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(_ http.ResponseWriter, a embedtest.Asked) bool {
			if strings.Contains(strings.Join(a.Texts, "\n"), "A heron stands") {
				<-opened
			}
			return false
		}
	})
	docs := func(key string) string {
		return "collections:\n  docs:\n    embedder:\n      provider: openai\n      model: walrus-embed\n      url: " + s.URL() + "/v1\n      dimensions: 96\n      key: " + key + "\n"
	}
	data, folder := filepath.Join(t.TempDir(), "s"), tree(t, small)
	i := start(t, data, folder)
	file := filepath.Join(data, "freshet.yaml")
	hindered(t, data, "")
	put(t, file, docs("wrong"))
	hindered(t, data, render.ReasonRefused, "does not accept the key", "config reload")
	put(t, file, docs(embedtest.Secret))
	hindered(t, data, render.ReasonNotReloaded, "walrus-embed of openai stands in "+file, "config reload")
	must(t, "config", "reload", "--data", data, "--yes")
	hindered(t, data, render.ReasonBuilding, "of 2 documents", "reindex status")
	goOn()
	for strings.Contains(must(t, "embedder", "list", "--data", data, "--json"), `"next"`) {
	}
	hindered(t, data, "")
	i.stop()

	other := filepath.Join(t.TempDir(), "other.yaml")
	put(t, other, "log: warn\n")
	i = start(t, data, folder, "--config", other)
	for strings.Contains(must(t, "embedder", "list", "--data", data, "--json"), `"next"`) {
	}
	hindered(t, data, render.ReasonOtherFile, file, other, "--config")
	i.stop()

	put(t, file, "collections:\n  docs:\n    embedder:\n      provider: shared\n")
	i = startWith(t, []string{"FRESHET_COLLECTIONS_DOCS_EMBEDDER_PROVIDER=static"}, data, folder)
	hindered(t, data, render.ReasonEnvironment, "FRESHET_COLLECTIONS_DOCS_EMBEDDER_PROVIDER", file)
	if r := run(t, "embedder", "set", "docs", "shared", "--data", data, "--yes"); r.code != 0 || !strings.Contains(r.stderr, "FRESHET_COLLECTIONS_DOCS_EMBEDDER_PROVIDER") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	put(t, other, "log: warn\n")
	if r := run(t, "embedder", "set", "docs", "static", "--config", other, "--data", data, "--yes"); r.code != 0 || !strings.Contains(r.stderr, "the running instance reads "+file+", not "+other) {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	i.stop()
}

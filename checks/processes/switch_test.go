//go:build servers

package processes

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// Somebody begins with the single binary and its embedded stores, and goes on
// with servers. The source is not there any more, so all has to come from the
// log.
func TestSwitchedStores_AreFilledWithoutTheSource(t *testing.T) {
	d := prepare(t, servers.ElasticURL(t), servers.WeaviateURL(t))
	for doc := range 200 {
		d.write(name(doc), text(doc, "first"+word(doc), 3))
	}
	embedded := d.cfg
	embedded.Stores = config.Stores{Lexical: config.Embedded, Vector: config.Embedded}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- freshet.Up(ctx, freshet.Options{Config: embedded, ParserCommand: []string{filepath.Join(programs, "chunker"), cutter.ChildArgument}, Ready: func(freshet.Running) { cancel() }})
	}()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(d.root); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"chunker", "embedder", "indexer", "query"} {
		d.start(name, 1) // and no watcher, which would find the files gone
	}
	d.filled()
	for _, r := range d.status().Reports {
		for counter, n := range r.Counters {
			if n > 0 && (r.Service == "chunker" || r.Service == "embedder") {
				t.Errorf("the %s counts %d %s", r.Service, n, counter)
			}
		}
	}
	d.unwatched = true
	t.Logf("log, Elasticsearch and Weaviate agree on %d passages", d.equal())
	for doc := range 20 {
		rep, err := client.Search.Ask(t.Context(), d.bus.Conn(), contract.SearchRequest{Query: "first" + word(doc), Token: "latest", Text: contract.TextFull, DeadlineMS: 60_000})
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Hits) == 0 || string(rep.Hits[0].Path) != name(doc) || !strings.Contains(rep.Hits[0].Text, word(doc)) {
			t.Errorf("%s is not found in %s: %+v", word(doc), name(doc), rep.Hits)
		}
	}

	// And what nobody builds any more goes from the servers, too.
	d.stop()
	_, build, err := rollout.Resolved(d.cfg)
	if err != nil {
		t.Fatal(err)
	}
	before := d.onServers()
	earlier := build
	earlier.Analyzer = "earlier words"
	d.leaveFormerAnalyzer(build, open.FromConfig(d.cfg, earlier))
	if after := d.onServers(); len(after) != len(before) {
		t.Errorf("the servers had %v, and have %v without what another analyzer has left", before, after)
	}
	if err := open.FromConfig(d.cfg, build).Drop(t.Context(), build, build.Generations()); err != nil {
		t.Fatal(err)
	}
	if left := d.onServers(); len(before) < 2 || len(left) > 0 {
		t.Errorf("of %v the servers have %v", before, left)
	}
}

// leaveFormerAnalyzer has stores be made as another version of freshet would, with
// another analyzer, and that be reclaimed.
func (d *deployment) leaveFormerAnalyzer(build contract.Build, stores open.Options) {
	d.t.Helper()
	made, err := open.Open(stores)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, sinks := range made {
		if err := sinks.Lexical.SetMark(d.t.Context(), store.Mark{ID: "earlier"}); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := made.Close(); err != nil {
		d.t.Fatal(err)
	}
	earlier := build
	earlier.Analyzer = stores.Analyzer
	for _, b := range []contract.Build{earlier, build} {
		if err := bus.BuildsOf(d.bus).Note(d.t.Context(), b); err != nil {
			d.t.Fatal(err)
		}
	}
	had := len(d.onServers())
	r := &rollout.Reclaimer{Bus: d.bus, Log: slog.New(slog.NewTextHandler(d.t.Output(), nil)), Keep: build, DropTokens: stores.DropTokens}
	if removed, _ := r.Reclaim(d.t.Context()); !removed {
		d.t.Error("nothing of another analyzer is removed")
	}
	if has := len(d.onServers()); had-has != len(build.Generations()) {
		d.t.Errorf("the servers have %d of %d names, want one of each collection less", has, had)
	}
}

// onServers are the names of the deployment that Elasticsearch and Weaviate know.
func (d *deployment) onServers() (names []string) {
	d.t.Helper()
	prefixed := regexp.MustCompile(`(?i)"` + d.cfg.Elasticsearch.Prefix + `[^"]*"`)
	for _, url := range []string{d.cfg.Elasticsearch.URLs[0] + "/_cat/indices?format=json&h=index", d.cfg.Weaviate.URL + "/v1/schema"} {
		req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, url, nil)
		if err != nil {
			d.t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			d.t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			d.t.Fatalf("%s answers %s: %v", url, resp.Status, err)
		}
		names = append(names, prefixed.FindAllString(string(body), -1)...)
	}
	return names
}

// word is one that only one document has.
func word(doc int) string {
	b := []byte("xxxxx")
	for i := range b {
		b[i] = byte('a' + doc%26)
		doc /= 3
	}
	return string(b) + "q"
}

// filled waits until nothing is pending any more, in the stores that are there now.
func (d *deployment) filled() {
	d.t.Helper()
	for {
		unknown := func(said string) bool {
			return strings.HasPrefix(said, string(document.Lexical)) || strings.HasPrefix(said, string(document.Vector))
		}
		if s := d.status(); len(s.Pending) == 0 && s.Documents > 0 && len(s.Reports) > 3 && !slices.ContainsFunc(s.Degraded, unknown) {
			return
		}
		d.pause()
	}
}

//go:build servers && control

package processes

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// Each server goes away, loses everything, and is put back to an older copy,
// while ten writers write.
func TestServerThatWentAway_LosesNoPassages(t *testing.T) {
	for name, start := range map[string]func(testing.TB, ...string) *servers.Server{
		"Elasticsearch": servers.OwnElasticsearch, "Weaviate": servers.OwnWeaviate,
	} {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			var d *deployment
			if name == "Elasticsearch" {
				d = deploy(t, server.URL(), servers.WeaviateURL(t), 2)
			} else {
				d = deploy(t, servers.ElasticURL(t), server.URL(), 2)
			}
			d.fill()
			d.settle()
			backup := filepath.Join(t.TempDir(), "backup")
			for _, round := range []struct {
				name string
				down time.Duration // how long it is away
				harm func() error
			}{
				{"stopped for ten seconds", 10 * time.Second, func() error { return server.Copy(backup) }},
				{"wiped", 3 * time.Second, server.Wipe},
				{"put back to an older copy", 3 * time.Second, func() error { return server.Restore(backup) }},
			} {
				ctx, cancel := context.WithCancel(t.Context())
				edited := make(chan *words, 1)
				go func() { edited <- d.edit(ctx, uint64(len(round.name))) }()
				if !rest(ctx, 2*time.Second) {
					t.Fatal("the test ended too early")
				}
				if err := server.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := round.harm(); err != nil {
					t.Fatal(err)
				}
				rest(ctx, round.down)
				if err := server.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				rest(ctx, 2*time.Second)
				cancel()
				w := <-edited
				t.Logf("%s %s, with %d edits meanwhile: caught up %s after the last edit", name, round.name, w.n, d.settle())
				swept := d.sweep()
				t.Logf("swept %d, restored %d of %d passages; log and servers agree on %d", swept.Removed, swept.Restored, swept.Compared, d.equal())
				if swept.Restored > 0 {
					t.Errorf("%d listed passages were missing in a store", swept.Restored)
				}
				w.check(d, 20)
			}
		})
	}
}

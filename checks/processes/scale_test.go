//go:build servers

package processes

import (
	"context"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// Three workers of each stage, ten writers. What the servers hold at rest has
// to be what the log asks for, id by id.
func TestThreeWorkersShareAStage_SinksHoldWhatTheLogAsks(t *testing.T) {
	d := deploy(t, servers.ElasticURL(t), servers.WeaviateURL(t), 3)
	d.fill()
	t.Logf("%d documents settled after %s", documents, d.settle())
	ctx, cancel := context.WithTimeout(t.Context(), seconds(t))
	defer cancel()
	w := d.edit(ctx, 1)
	t.Logf("%d edits by %d writers; settled %s after the last", w.n, writers, d.settle())
	instances := map[string]int{}
	for _, r := range d.status().Reports {
		instances[r.Service]++
	}
	for _, service := range services[1:] {
		if instances[service] != 3 {
			t.Errorf("%d of the service %s report, want 3", instances[service], service)
		}
	}
	swept := d.sweep()
	t.Logf("swept %d, restored %d of %d passages", swept.Removed, swept.Restored, swept.Compared)
	if swept.Restored > 0 {
		t.Errorf("%d listed passages were missing in a store", swept.Restored)
	}
	if again := d.sweep(); again.Removed+again.Restored > 0 {
		t.Errorf("a second sweep removed %d and restored %d", again.Removed, again.Restored)
	}
	t.Logf("log, Elasticsearch and Weaviate agree on %d passages", d.equal())
	w.check(d, 50)
	d.working(instances)
}

// working checks that every chunker, embedder and indexer had a part.
func (d *deployment) working(instances map[string]int) {
	d.t.Helper()
	idle := map[string]int{}
	for _, r := range d.status().Reports {
		busy := uint64(0)
		for _, n := range r.Counters {
			busy += n
		}
		if busy == 0 {
			idle[r.Service]++
		}
	}
	for service, n := range idle {
		if service != "query" {
			d.t.Errorf("%d of %d of the service %s had nothing to do", n, instances[service], service)
		}
	}
}

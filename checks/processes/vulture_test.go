//go:build servers

package processes

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// vultureTime is how long the vulture circles: FRESHET_VULTURE_SECONDS, else
// twenty seconds.
func vultureTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("FRESHET_VULTURE_SECONDS")
	if text == "" {
		return 20 * time.Second
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("FRESHET_VULTURE_SECONDS is %q, no number", text)
	}
	return time.Duration(n) * time.Second
}

// warmUp is how long the vulture circles before its delays count.
const warmUp = 20 * time.Second

// Three workers of each stage over real servers have to keep what the embedded
// form promises. How fast that is depends on the machine that carries all of
// them; the report says it.
func TestRealServers_VultureFindsNothing(t *testing.T) {
	d := deploy(t, servers.ElasticURL(t), servers.WeaviateURL(t), 3)
	d.write("still.go", text(1, "Stillness", 1))
	d.settle()
	folders := func(name string) (place, repository vulture.Place) {
		dir := filepath.Join(d.dir, "branches of "+name)
		return vulture.Place{Source: source, Dir: filepath.Join(d.root, name)}, d.add(dir)
	}
	cfg := vulture.Config{
		Remote:   bus.Remote{URL: d.server.ClientURL()},
		Duration: warmUp, Writers: 8, Readers: 8, Seed: 2,
		Deadline: time.Minute, // a busy machine answers late, and right
		// A write costs a refresh of two servers. Two processors that carry
		// these, twelve workers and the vulture are at their limit with twice
		// this pace.
		Pace: 2 * time.Second,
	}
	cfg.Place, cfg.Repository = folders("warm")
	// Elasticsearch compiles what it runs often; the vulture's delays are not
	// about that.
	warm, err := vulture.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range warm.Violations() {
		if v.Kind != vulture.Unfresh {
			t.Error(v)
		}
	}
	cfg.Place, cfg.Repository = folders("vulture")
	cfg.Duration, cfg.Seed = vultureTime(t), 1
	report, err := vulture.Run(t.Context(), cfg)
	t.Logf("\n%s", report)
	if err != nil {
		t.Fatal(err)
	}
	d.alive()
	for _, v := range report.Violations() {
		if v.Kind == vulture.Unfresh {
			t.Log(v)
			continue
		}
		t.Error(v)
	}
	if report.Certain == 0 || report.Exact == 0 || report.Words == 0 || report.LinedExact == 0 {
		t.Error("the vulture did not look closely")
	}
	t.Logf("log, Elasticsearch and Weaviate agree on %d passages", d.equal())
}

//go:build sabotage

package e2e

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/services/freshet/internal/vulture"
)

// Each protection is switched off in turn; the vulture has to see what it
// protects from, with a seed with which it sees nothing otherwise.
func TestSabotage(t *testing.T) {
	for _, c := range []struct {
		off   string
		wants []vulture.Kind // at least one of these
	}{
		{"", nil},
		{"resolution", []vulture.Kind{vulture.Ghost, vulture.Stale}},
		{"barrier", []vulture.Kind{vulture.Late, vulture.Missing}},
		{"delete", []vulture.Kind{vulture.Orphan}},
	} {
		name := c.off
		if name == "" {
			name = "nothing"
		}
		t.Run(name, func(t *testing.T) {
			root := folder(t, "prey")
			p := start(t, []string{"FRESHET_SABOTAGE=" + c.off}, "--data", t.TempDir(), "--nats-port", "0", root)
			cfg := vultureConfig(t)
			cfg.Duration = min(cfg.Duration, 5*time.Second)
			cfg.Remote.URL, cfg.Source, cfg.Dir = p.url, "prey", filepath.Join(root, "vulture")
			if c.off == "" {
				fly(t, cfg)
				return
			}
			report, err := vulture.Run(t.Context(), cfg)
			t.Logf("\n%s", report)
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range c.wants {
				for _, v := range report.Violations() {
					if v.Kind == kind {
						t.Logf("caught: %s", v)
						return
					}
				}
			}
			t.Errorf("without its %s protection the deployment shows no violation of %v", c.off, c.wants)
		})
	}
}

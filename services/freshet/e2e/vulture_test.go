package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/services/freshet/internal/vulture"
)

// The vulture runs for ten seconds, or as long as is asked for:
// FRESHET_VULTURE_SECONDS, with the seed FRESHET_VULTURE_SEED.
func vultureConfig(t *testing.T) vulture.Config {
	t.Helper()
	number := func(name string, value int) int {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatalf("%s is %q, no number", name, text)
			}
			return n
		}
		return value
	}
	return vulture.Config{
		Duration: time.Duration(number("FRESHET_VULTURE_SECONDS", 10)) * time.Second,
		Seed:     uint64(number("FRESHET_VULTURE_SEED", 20240917)),
	}
}

// fly runs a vulture and fails the test on every violation.
func fly(t *testing.T, cfg vulture.Config) vulture.Report {
	t.Helper()
	report, err := vulture.Run(t.Context(), cfg)
	t.Logf("\n%s", report)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range report.Violations() {
		if i == 20 {
			t.Errorf("and %d more", len(report.Violations())-i)
			break
		}
		t.Error(v)
	}
	// A vulture that saw nothing proves nothing.
	if report.Certain == 0 || report.Young == 0 || report.Exact == 0 || report.Words == 0 {
		t.Error("the vulture did not look closely")
	}
	return report
}

func TestVulture(t *testing.T) {
	root := folder(t, "prey")
	write(t, filepath.Join(root, "still.go"), goFile("Stillness"))
	data := t.TempDir()
	r := up(t, data, root)
	cfg := vultureConfig(t)
	cfg.URL, cfg.Source, cfg.Dir = r.url(), "prey", filepath.Join(root, "vulture")
	fly(t, cfg)
	r.shows("latest", "Stillness", "prey/still.go")
	r.stop()
	if n := storesEqualLog(t, data); n == 0 {
		t.Error("the stores are empty")
	}
}

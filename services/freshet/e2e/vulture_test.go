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
func fly(t *testing.T, cfg vulture.Config) {
	t.Helper()
	report, err := vulture.Run(t.Context(), cfg)
	check(t, report, err)
}

func check(t *testing.T, report vulture.Report, err error) {
	t.Helper()
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
}

// A bulk load in another source must not hold up live changes: they are
// handled first.
func TestVultureDuringABulkLoad(t *testing.T) {
	prey, bulk, data := folder(t, "prey"), folder(t, "bulk"), t.TempDir()
	r := up(t, data, prey, bulk)
	stop, loaded := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			if _, err := writeLibrary(filepath.Join(bulk, strconv.Itoa(i)), 600); err != nil {
				loaded <- err
				return
			}
			select {
			case <-time.After(time.Second):
			case <-stop:
				loaded <- nil
				return
			}
		}
	}()
	cfg := vultureConfig(t)
	cfg.Duration /= 2
	cfg.URL, cfg.Source, cfg.Dir = r.url(), "prey", filepath.Join(prey, "vulture")
	report, err := vulture.Run(t.Context(), cfg)
	close(stop)
	if err := <-loaded; err != nil {
		t.Error(err)
	}
	check(t, report, err)
	if n := r.counter("chunker", "documents"); n < 600 {
		t.Errorf("only %d documents were loaded meanwhile", n)
	}
	r.stop()
	storesEqualLog(t, data)
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

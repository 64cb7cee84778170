package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	freshet "github.com/freshet-dev/freshet/services/freshet"
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

// check fails the test on every violation but those of the kinds excepted.
func check(t *testing.T, report vulture.Report, err error, except ...vulture.Kind) {
	t.Helper()
	t.Logf("\n%s", report)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, v := range report.Violations() {
		if slices.Contains(except, v.Kind) {
			continue
		}
		if shown++; shown == 20 {
			t.Fatalf("and more of %d", len(report.Violations()))
		}
		t.Error(v)
	}
	// A vulture that saw nothing proves nothing.
	if report.Certain == 0 || report.Exact == 0 || report.Words == 0 {
		t.Error("the vulture did not look closely")
	}
}

// impatient is a query service as everybody has it: how fast it answers counts.
func impatient(o *freshet.Options) { o.Config.Query = config.Default().Query }

// While a large source is indexed for the first time, answers about another
// one have to be as right as ever. How fresh they are then depends on the
// machine; the report says it.
func TestVultureDuringABulkLoad(t *testing.T) {
	prey, bulk, data := folder(t, "prey"), folder(t, "bulk"), t.TempDir()
	for i := range 5 {
		library(t, filepath.Join(bulk, strconv.Itoa(i)), 600)
	}
	r := upWith(t, data, impatient, prey)
	cfg := vultureConfig(t)
	cfg.Duration /= 2
	cfg.Remote.URL, cfg.Source, cfg.Dir = r.url(), "prey", filepath.Join(prey, "vulture")
	v, err := vulture.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	added := make(chan error, 1)
	go func() {
		_, err := bus.Call[contract.SourceAdd, contract.SourceList](t.Context(), r.bus.Conn(), contract.SubjectSourcesAdd, contract.SourceAdd{Root: bulk})
		added <- err
	}()
	err = v.Circle(t.Context())
	if err := errors.Join(err, <-added); err != nil {
		t.Fatal(err)
	}
	err = v.Settle(t.Context())
	check(t, v.Report(), err, vulture.Unfresh)
	if n := len(found(r.search(contract.SearchRequest{Query: "Volumeba", Token: "latest"}), "Volumeba")); n != 5 {
		t.Errorf("a file of the bulk is found %d times, there are 5", n)
	}
	r.stop()
	storesEqualLog(t, data)
}

func TestVulture(t *testing.T) {
	root := folder(t, "prey")
	write(t, filepath.Join(root, "still.go"), goFile("Stillness"))
	data := t.TempDir()
	r := upWith(t, data, impatient, root)
	cfg := vultureConfig(t)
	cfg.Remote.URL, cfg.Source, cfg.Dir = r.url(), "prey", filepath.Join(root, "vulture")
	fly(t, cfg)
	r.shows("latest", "Stillness", "prey/still.go")
	r.stop()
	if n := storesEqualLog(t, data); n == 0 {
		t.Error("the stores are empty")
	}
}

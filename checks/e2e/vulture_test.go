package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	freshet "github.com/freshet-dev/freshet/services/freshet"
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

// patient has what a busy machine delays answered late, and not given up.
const patient = time.Minute

// many is how many answers there are where every way of asking has had its turn: a busy
// machine gives fewer.
const many = 500

// fly runs a vulture and fails the test on every violation.
func fly(t *testing.T, cfg vulture.Config) {
	t.Helper()
	report, err := vulture.Run(t.Context(), cfg)
	check(t, report, err)
	if report.Checked >= many && (report.ShownExact == 0 || report.Leased == 0 || report.KeptTold == 0) {
		t.Errorf("of %d answers %d were of a document and %d under a lease, and kept questions were told %d times", report.Checked, report.ShownExact, report.Leased, report.KeptTold)
	}
}

// check fails the test on every violation but that of freshness, which depends
// on the machine: the report says how fresh answers were, and `make bench` and
// `make vulture` judge it.
func check(t *testing.T, report vulture.Report, err error) {
	t.Helper()
	t.Logf("\n%s", report)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, v := range report.Violations() {
		if v.Kind == vulture.Unfresh {
			continue
		}
		if shown++; shown == 20 {
			t.Fatalf("and more of %d", len(report.Violations()))
		}
		t.Error(v)
	}
	// A vulture that saw nothing proves nothing.
	if report.Certain == 0 || report.Exact == 0 || report.Words == 0 || report.LinedExact == 0 {
		t.Error("the vulture did not look closely")
	}
}

// While a large source is indexed for the first time, answers about another
// one have to be as right as ever. How fresh they are then depends on the
// machine; the report says it.
func TestBulkLoad_VultureFindsNothing(t *testing.T) {
	prey, bulk, data := folder(t, "prey"), folder(t, "bulk"), t.TempDir()
	for i := range 5 {
		library(t, filepath.Join(bulk, strconv.Itoa(i)), 600)
	}
	r := up(t, data, prey)
	cfg := vultureConfig(t)
	cfg.Deadline = patient
	cfg.Duration /= 2
	cfg.Remote.URL, cfg.Source, cfg.Dir = r.url(), "prey", filepath.Join(prey, "vulture")
	v, err := vulture.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	added := make(chan error, 1)
	go func() {
		_, err := client.AddSource.Ask(t.Context(), r.bus.Conn(), contract.SourceAdd{Root: bulk})
		added <- err
	}()
	err = v.Circle(t.Context())
	if err := errors.Join(err, <-added); err != nil {
		t.Fatal(err)
	}
	err = v.Settle(t.Context())
	check(t, v.Report(), err)
	if n := len(found(r.search(contract.SearchRequest{Query: "Volumeba", Token: "latest"}), "Volumeba")); n != 5 {
		t.Errorf("a file of the bulk is found %d times, there are 5", n)
	}
	r.stop()
	storesEqualLog(t, data)
}

// Every combination of the stages' settings keeps the promises: each seed draws
// one.
func TestDrawnSettings_VultureFindsNothing(t *testing.T) {
	cfg := vultureConfig(t)
	cfg.Duration /= 3
	s := vulture.DrawSettings(cfg.Seed)
	t.Logf("seed %d: %s", cfg.Seed, s)
	drawn, err := config.Load("", s.Environment()...)
	if err != nil {
		t.Fatal(err)
	}
	root := folder(t, "prey")
	r := upWith(t, t.TempDir(), func(o *freshet.Options) { o.Config.Query = drawn.Query }, root)
	cfg.Deadline, cfg.Settings = patient, s
	cfg.Hits = 1000 // the order is what the settings are for
	cfg.Remote.URL, cfg.Source, cfg.Dir = r.url(), "prey", filepath.Join(root, "vulture")
	fly(t, cfg)
}

func TestEditsAndQuestions_VultureFindsNothing(t *testing.T) {
	root := folder(t, "prey")
	write(t, filepath.Join(root, "still.go"), goFile("Stillness"))
	data := t.TempDir()
	r := up(t, data, root)
	cfg := vultureConfig(t)
	cfg.Deadline = patient
	cfg.Hidden = true
	cfg.Remote.URL, cfg.Source, cfg.Dir = r.url(), "prey", filepath.Join(root, "vulture")
	fly(t, cfg)
	r.shows("latest", "Stillness", "prey/still.go")
	r.stop()
	if n := storesEqualLog(t, data); n == 0 {
		t.Error("the stores are empty")
	}
}

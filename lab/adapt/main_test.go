package adapt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/adapt/jargon"
	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// TestMain makes the test binary a parser child when it is started as one.
func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	os.Exit(m.Run())
}

// mined are the pairs of a jargon.
func mined(t *testing.T, plain bool) Options {
	t.Helper()
	source := t.TempDir()
	if err := jargon.Write(source, plain); err != nil {
		t.Fatal(err)
	}
	o := Options{Config: config.Default()}
	o.Config.Data = t.TempDir()
	o.Train.Seed, o.Train.Epochs, o.Train.Wrong = 1, 3, 32
	c, err := Mine(t.Context(), mine.Options{Config: o.Config, Sources: []mine.Source{{Path: source}}, Seed: 1}, filepath.Join(t.TempDir(), "pairs"))
	if err != nil {
		t.Fatal(err)
	}
	o.Corpora = []Corpus{c}
	return o
}

func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if err == nil || !strings.Contains(err.Error(), p) {
			t.Errorf("%v does not say %q", err, p)
		}
	}
}

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// weights writes a file of weights, and a configuration that names it.
func weights(t *testing.T, text, more string) (file, conf string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "weights.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file, write(t, "query:\n  weights: "+file+"\n"+more)
}

func TestFileOfWeights_IsTaken(t *testing.T) {
	want := config.Default().Query.Ranking
	want.Stem, want.Fusion = .25, "rrf"
	text, n, err := want.WeightsYAML()
	if err != nil || n != 2 {
		t.Fatalf("%d weights, %v: %s", n, err, text)
	}
	file, conf := weights(t, string(text), "")
	cfg, err := config.Load(conf)
	if err != nil || cfg.Query.Ranking != want {
		t.Fatalf("%v: %+v", err, cfg.Query.Ranking)
	}
	printed, err := cfg.YAML()
	if err != nil || strings.Contains(string(printed), "\n  ranking:") || !strings.Contains(string(printed), "\n  weights: "+file+"\n") {
		t.Errorf("%v:\n%s", err, printed)
	}
	again, err := config.Load(write(t, string(printed)))
	if err != nil || again.Query.Ranking != want {
		t.Errorf("what is printed loads as %+v, %v", again.Query.Ranking, err)
	}
	if cfg, err = config.Load("", "FRESHET_QUERY_WEIGHTS="+file); err != nil || cfg.Query.Ranking != want {
		t.Errorf("by environment: %v: %+v", err, cfg.Query.Ranking)
	}
}

func TestDefaultWeights_WriteNothing(t *testing.T) {
	text, n, err := config.Default().Query.Ranking.WeightsYAML()
	if err != nil || n != 0 || len(text) > 0 {
		t.Errorf("%d weights, %v: %s", n, err, text)
	}
	_, conf := weights(t, "# none\n", "")
	if cfg, err := config.Load(conf); err != nil || cfg.Query.Ranking != config.Default().Query.Ranking {
		t.Errorf("%v", err)
	}
}

func TestWeightsInTwoPlaces_AreRefused(t *testing.T) {
	file, conf := weights(t, "stem: .25\n", "  ranking: {path: 2}\n")
	_, err := config.Load(conf)
	if err == nil || !strings.Contains(err.Error(), "move the keys of query.ranking into "+file) {
		t.Errorf("%v", err)
	}
}

func TestBrokenWeights_AreRefusedByName(t *testing.T) {
	for text, want := range map[string]string{
		"stem: 50\n":                    "weights.yaml: stem is 50",
		"stm: 1\n":                      "weights.yaml:1: ",
		"query: {ranking: {stem: 1}}\n": "weights.yaml:1: ",
	} {
		_, conf := weights(t, text, "")
		if _, err := config.Load(conf); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for conf, want := range map[string]string{
		"query: {weights: weights.yaml}\n":          "use an absolute path",
		"query: {weights: /nowhere/weights.yaml}\n": "there is no file /nowhere/weights.yaml",
	} {
		if _, err := config.Load(write(t, conf)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", conf, err)
		}
	}
}

func TestOtherWeights_TakeThePlaceOfThoseThatAreNamed(t *testing.T) {
	configured := config.Default().Query.Ranking
	got, err := configured.With(map[string]string{"fusion": "rrf", "vector_natural": ".3"})
	want := configured
	want.Fusion, want.VectorNatural = "rrf", .3
	if err != nil || got != want || configured != config.Default().Query.Ranking {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, c := range map[string]struct {
		values map[string]string
		says   string
	}{
		"a key that is unknown":   {map[string]string{"vector_natrual": "1"}, "did you mean vector_natural?"},
		"a key like none":         {map[string]string{"zzz": "1"}, "known are coherence, "},
		"no number":               {map[string]string{"stem": "much"}, `ranking.stem: "much" is not a number`},
		"not a number":            {map[string]string{"stem": "NaN"}, `ranking.stem is NaN: use 0 to 10`},
		"a value out of bounds":   {map[string]string{"vector_natural": "1.5"}, "ranking.vector_natural is 1.5: use 0 to 1"},
		"a way to fuse like none": {map[string]string{"fusion": "sum"}, "use convex, rrf"},
		"a file":                  {map[string]string{"fusion": "${file:/etc/passwd}"}, "${file:/etc/passwd}"},
	} {
		if _, err := configured.With(c.values); document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

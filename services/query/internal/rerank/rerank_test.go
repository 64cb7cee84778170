package rerank

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestBlendReplacesTheOrder(t *testing.T) {
	for name, c := range map[string]struct {
		scores []float64
		weight float64
		want   []int
	}{
		"nothing":              {nil, .5, []int{}},
		"agreement":            {[]float64{3, 2, 1}, .5, []int{0, 1, 2}},
		"all alike":            {[]float64{1, 1, 1, 1}, .9, []int{0, 1, 2, 3}},
		"last is best":         {[]float64{3, 2, 1, 4}, .5, []int{0, 3, 1, 2}},
		"little weight":        {[]float64{1, 2, 3, 4}, .1, []int{0, 1, 2, 3}},
		"much weight":          {[]float64{1, 2, 3, 4}, .9, []int{3, 2, 1, 0}},
		"the scale is nothing": {[]float64{3e-9, 2e-9, 1e-9, 4e300}, .5, []int{0, 3, 1, 2}},
	} {
		if got := Blend(c.scores, c.weight); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestWrongSettingPasses(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"kind is":     func(c *Config) { c.Kind = "magic" },
		"url is":      func(c *Config) { c.URL = "" },
		"url cannot":  func(c *Config) { c.URL = "tei:8080" },
		"url cannot ": func(c *Config) { c.URL = "http://ada:secret@tei:8080" },
		"model":       func(c *Config) { c.Kind = Cohere },
		"passages":    func(c *Config) { c.Passages = 1 },
		"weight":      func(c *Config) { c.Weight = 1 },
		"deadline":    func(c *Config) { c.Deadline = -time.Second },
		"batch":       func(c *Config) { c.Batch = -1 },
	} {
		c := Config{Kind: TEI, URL: "http://127.0.0.1:8080"}
		change(&c)
		c.SetDefaults()
		err := c.Validate()
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), "query.rerank."+name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var c Config
	c.SetDefaults()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if r, err := New(c); r != nil || err != nil {
		t.Errorf("nothing is chosen, and there is %v, %v", r, err)
	}
	if _, err := New(Config{Kind: TEI, CA: filepath.Join(t.TempDir(), "none.pem")}); document.KindOf(err) != document.InvalidRequest {
		t.Errorf("a file that is not there: %v", err)
	}
}

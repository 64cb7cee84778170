package query

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestWrongSettingPasses(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"query.k ":                func(c *Config) { c.K = 2000 },
		"query.max_k":             func(c *Config) { c.MaxK = -1 },
		"query.deadline":          func(c *Config) { c.Deadline = time.Hour },
		"query.channel_deadline":  func(c *Config) { c.ChannelDeadline = -time.Second },
		"query.max_overfetch":     func(c *Config) { c.MaxOverfetch = 20 },
		"query.pending_bytes":     func(c *Config) { c.PendingBytes = 1 },
		"query.expand.variants":   func(c *Config) { c.Variants = 4 },
		"query.diversify":         func(c *Config) { c.Diversify = 1.5 },
		"query.rerank.kind":       func(c *Config) { c.Rerank.Kind = "magic" },
		"query.body_cache":        func(c *Config) { c.BodyCache = 1 },
		"query.ranking.fusion":    func(c *Config) { c.Ranking.Fusion = "sum" },
		"query.ranking.stem":      func(c *Config) { c.Ranking = withStem(math.NaN()) },
		"query.ranking.coherence": func(c *Config) { c.Ranking = withStem(.5); c.Ranking.Coherence = -1 },
	} {
		var c Config
		change(&c)
		c.SetDefaults()
		err := c.Validate()
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var c Config
	c.SetDefaults()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func withStem(weight float64) config.Ranking {
	w := config.Default().Query.Ranking
	w.Stem = weight
	return w
}

func TestServiceStartsWithoutAStore(t *testing.T) {
	b := bustest.New(t)
	for name, stores := range map[string]map[document.Generation]Stores{
		"none": nil, "no sinks": {"code-1": {}}, "no collection": {"code": {}},
	} {
		if _, err := New(Config{}, Deps{Bus: b, Stores: stores}); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

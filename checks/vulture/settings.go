package vulture

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
)

// Settings are configuration keys of the stages of a search, such as
// query.diversify, with values. Whatever they are, the promises hold.
type Settings map[string]string

// values are what the keys can be set to. The first of each is the default, or
// near it; what makes a search as such fail, such as a deadline of a millisecond,
// is not among them.
var values = map[string][]string{
	"query.ranking.fusion":         {"convex", "rrf"},
	"query.ranking.rank_constant":  {"60", "1", "1000"},
	"query.ranking.vector_natural": {"0.45", "0", "0.9"},
	"query.ranking.vector_symbol":  {"0.35", "0", "0.9"},
	"query.ranking.definition":     {"0.5", "0", "5"},
	"query.ranking.coherence":      {"0.3", "0", "2"},
	"query.ranking.saturation":     {"0.4", "0", "1"},
	"query.ranking.penalty_power":  {"0.42", "0", "3"},
	"query.diversify":              {"0", "0.1", "0.5", "0.7", "1"},
	"query.spelling":               {"0.6", "0", "1"},
	"query.per_file":               {"3", "1", "10"},
	"query.per_file_docs":          {"5", "1", "10"},
	"query.overfetch":              {"50", "10", "400"},
	"query.pending_documents":      {"64", "1", "1000"},
	"query.pending_bytes":          {"4MiB", "4KiB", "64MiB"},
	"query.listed":                 {"100", "1"},
	"query.body_cache":             {"64MiB", "1MiB"},
	"query.trigrams":               {"256MiB", "0B", "16KiB"},
}

// DrawSettings returns settings for an instance that a vulture is to circle over;
// the same for the same seed.
func DrawSettings(seed uint64) Settings {
	rng := rand.New(rand.NewPCG(seed, 77))
	out := Settings{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		out[key] = values[key][rng.IntN(len(values[key]))]
	}
	return out
}

// Environment returns the variables that set up an instance so.
func (s Settings) Environment() []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(s)) {
		out = append(out, config.Variable(key)+"="+s[key])
	}
	return out
}

// String returns the settings in one line.
func (s Settings) String() string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(s)) {
		out = append(out, key+"="+s[key])
	}
	return strings.Join(out, " ")
}

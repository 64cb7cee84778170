// Package rank puts the candidates of the channels into one order: fusion,
// then the signals of name, place and neighbourhood.
package rank

import (
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Ways of fusion.
const (
	// RRF is reciprocal rank fusion: the sum over the channels of
	// weight / (60 + rank) (Cormack, Clarke and Büttcher 2009), stretched to 0
	// to 1 over the candidates.
	RRF = "rrf"
	// Convex is (1 − a)·lexical/max + a·(vector − min)/(max − min).
	Convex = "convex"
)

// Names of the signals, for Off.
const (
	Definition = "definition"
	Path       = "path"
	Stem       = "stem"
	Directory  = "directory"
	Coherence  = "coherence"
	Penalty    = "penalty"
	Saturation = "saturation"
)

var signalNames = []string{Definition, Path, Stem, Directory, Coherence, Penalty, Saturation}

// Weights are all numbers that the order of an answer depends on. The defaults
// come from the development half of a public benchmark of code search (612
// queries, 31 repositories), tuned with a prototype that scored every passage.
// Three were set anew with this program on 12 of the repositories (240 queries,
// NDCG@10 over files, convex fusion): vector_natural .5 (.834; .827 at .7), then
// definition .5 (.843), then penalty_power .35 (.847). Differences below .01
// are noise; the optimum is wide.
type Weights struct {
	// Fusion is "rrf" or "convex".
	Fusion string `yaml:"fusion"`
	// RankConstant is the 60 of reciprocal rank fusion.
	RankConstant float64 `yaml:"rank_constant"`
	// The vector channel's share by class of query, 0 to 1; the lexical
	// channel has the rest.
	VectorSymbol  float64 `yaml:"vector_symbol"`
	VectorNatural float64 `yaml:"vector_natural"`
	VectorPath    float64 `yaml:"vector_path"`
	VectorError   float64 `yaml:"vector_error"`

	// Definition is added where a passage defines the name asked for; times
	// DefinitionWord where the name is only a plain word of the query. Where
	// all parts of the name are in the query it is times DefinitionParts plus
	// DefinitionPart for each.
	Definition      float64 `yaml:"definition"`
	DefinitionWord  float64 `yaml:"definition_word"`
	DefinitionParts float64 `yaml:"definition_parts"`
	DefinitionPart  float64 `yaml:"definition_part"`
	// Path is added where the query names the path.
	Path float64 `yaml:"path"`
	// Stem is added times the share of the file name's words that are in the
	// query, Directory times that of the folders' words.
	Stem      float64 `yaml:"stem"`
	Directory float64 `yaml:"directory"`
	// Coherence times (second + third/2 + fourth/4 best passage of the file)
	// is added to a file.
	Coherence float64 `yaml:"coherence"`
	// The penalties are factors of the score, raised to PenaltyPower, unless
	// the query asks for such files.
	PenaltyPower     float64 `yaml:"penalty_power"`
	PenaltyTest      float64 `yaml:"penalty_test"`
	PenaltyVendor    float64 `yaml:"penalty_vendor"`
	PenaltyGenerated float64 `yaml:"penalty_generated"`
	PenaltyExample   float64 `yaml:"penalty_example"`
	PenaltyLegacy    float64 `yaml:"penalty_legacy"`
	// Saturation is the factor for each further passage of one file.
	Saturation float64 `yaml:"saturation"`

	// Off names signals that are left out.
	Off []string `yaml:"off"`
}

// SetDefaults fills in what is zero. A weight that is to be nothing is
// switched off by name.
func (w *Weights) SetDefaults() {
	if w.Fusion == "" {
		w.Fusion = RRF
	}
	for _, d := range []struct {
		at    *float64
		value float64
	}{
		{&w.RankConstant, 60},
		{&w.VectorSymbol, .35}, {&w.VectorNatural, .5}, {&w.VectorPath, .35}, {&w.VectorError, .5},
		{&w.Definition, .5}, {&w.DefinitionWord, .6}, {&w.DefinitionParts, .35}, {&w.DefinitionPart, .1},
		{&w.Path, 1}, {&w.Stem, .5}, {&w.Directory, .1}, {&w.Coherence, .35},
		{&w.PenaltyPower, .35}, {&w.PenaltyTest, .3}, {&w.PenaltyVendor, .3}, {&w.PenaltyGenerated, .3},
		{&w.PenaltyExample, .4}, {&w.PenaltyLegacy, .5}, {&w.Saturation, .5},
	} {
		if *d.at == 0 {
			*d.at = d.value
		}
	}
}

// Validate names the first weight that cannot work.
func (w *Weights) Validate() error {
	if w.Fusion != RRF && w.Fusion != Convex {
		return document.Errorf(document.InvalidRequest, "query.ranking.fusion is %q: use %s or %s", w.Fusion, RRF, Convex)
	}
	for _, name := range w.Off {
		if !slices.Contains(signalNames, name) {
			return document.Errorf(document.InvalidRequest, "query.ranking.off names %q: choose from %s", name, strings.Join(signalNames, ", "))
		}
	}
	for _, c := range []struct {
		name     string
		value    float64
		min, max float64
	}{
		{"rank_constant", w.RankConstant, 1, 1e6},
		{"vector_symbol", w.VectorSymbol, 0, 1}, {"vector_natural", w.VectorNatural, 0, 1},
		{"vector_path", w.VectorPath, 0, 1}, {"vector_error", w.VectorError, 0, 1},
		{"definition", w.Definition, 0, 10}, {"definition_word", w.DefinitionWord, 0, 1},
		{"definition_parts", w.DefinitionParts, 0, 1}, {"definition_part", w.DefinitionPart, 0, 1},
		{"path", w.Path, 0, 10}, {"stem", w.Stem, 0, 10}, {"directory", w.Directory, 0, 10},
		{"coherence", w.Coherence, 0, 10}, {"penalty_power", w.PenaltyPower, 0, 10},
		{"penalty_test", w.PenaltyTest, 0, 1}, {"penalty_vendor", w.PenaltyVendor, 0, 1},
		{"penalty_generated", w.PenaltyGenerated, 0, 1}, {"penalty_example", w.PenaltyExample, 0, 1},
		{"penalty_legacy", w.PenaltyLegacy, 0, 1}, {"saturation", w.Saturation, 0, 1},
	} {
		if !(c.value >= c.min && c.value <= c.max) {
			return document.Errorf(document.InvalidRequest, "query.ranking.%s is %v: use %v to %v", c.name, c.value, c.min, c.max)
		}
	}
	return nil
}

func (w *Weights) on(signal string) bool { return !slices.Contains(w.Off, signal) }

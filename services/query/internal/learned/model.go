package learned

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/lambdamart"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/rerank"
)

// Model is a model that fits this service. It is safe for concurrent use.
type Model struct {
	passages int
	weight   float64
	classes  []string
	forest   lambdamart.Model
}

// Limits of what a model may ask for: it works on every search.
const (
	mostPassages = 200
	mostTrees    = 1000
	mostWeight   = .9
)

// refused is the error of a model that cannot be used: it is trained again, or
// taken back.
func refused(kind document.ErrorKind, format string, args ...any) error {
	return document.Errorf(kind, format, args...).Do(document.DoRerankerTrain, document.DoRerankerRemove)
}

// New checks a model against the features of this program and the weights of the
// ranking that it is to work behind. An error says in one sentence why it cannot
// be used.
func New(r *contract.Reranker, weights config.Ranking) (*Model, error) {
	if r.Version != contract.RerankerVersion {
		return nil, refused(document.VersionMismatch, "the model has features of version %d, this program has version %d", r.Version, contract.RerankerVersion)
	}
	column := make([]int, len(r.Features))
	for i, name := range r.Features {
		if column[i] = slices.IndexFunc(features, func(f feature) bool { return f.name == name }); column[i] < 0 {
			return nil, refused(document.VersionMismatch, "the model asks for the feature %q, which this program has not", name)
		}
	}
	if r.Ranking != Ranking(weights) {
		return nil, refused(document.VersionMismatch, "the model was trained behind other weights (query.ranking) than this service has")
	}
	if r.Passages < 2 || r.Passages > mostPassages || !(r.Weight > 0 && r.Weight <= mostWeight) || len(r.Trees) > mostTrees {
		return nil, refused(document.InvalidRequest, "the model has the weight %v for %d passages and %d trees; up to %v, 2 to %d and up to %d are allowed", r.Weight, r.Passages, len(r.Trees), mostWeight, mostPassages, mostTrees)
	}
	m := &Model{passages: r.Passages, weight: r.Weight, classes: slices.Clone(r.Classes), forest: lambdamart.Model{Base: r.Base, Scale: r.Scale}}
	for _, t := range r.Trees {
		m.forest.Trees = append(m.forest.Trees, lambdamart.Tree(t))
	}
	if err := m.forest.Check(len(column)); err != nil {
		return nil, refused(document.InvalidRequest, "the model is broken (%w)", err)
	}
	// From the columns of the model to those of Rows.
	m.forest.Base = column[r.Base]
	for i := range m.forest.Trees {
		t := &m.forest.Trees[i]
		t.Feature = slices.Clone(t.Feature)
		for n, f := range t.Feature {
			t.Feature[n] = column[f]
		}
	}
	return m, nil
}

// Parse reads a model as the log keeps it.
func Parse(raw []byte) (*contract.Reranker, error) {
	r := &contract.Reranker{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, refused(document.InvalidRequest, "the model cannot be read (%w)", err)
	}
	return r, nil
}

// Ranking names the weights that a model is trained behind: behind others the
// signals that it learned from have other values.
func Ranking(weights config.Ranking) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", weights))
	return hex.EncodeToString(sum[:8])
}

// Knows reports whether the model was trained on questions of a class.
func (m *Model) Knows(c analysis.Class) bool { return slices.Contains(m.classes, string(c)) }

// Rerank puts the best of the candidates into the order that the model and the
// order before make together, and returns how many changed place. The scores stay
// in their places, and everything where the model does not know the query's class.
func (m *Model) Rerank(all []candidate.Candidate, q *rank.Query) (moved int) {
	if !m.Knows(q.Class) {
		return 0
	}
	best := all[:min(len(all), m.passages)]
	scores := make([]float64, len(best))
	for i, row := range Rows(all, len(best), q) {
		scores[i] = m.forest.Score(row)
	}
	before := slices.Clone(best)
	for place, from := range rerank.Blend(scores, m.weight) {
		c := before[from]
		c.Learned = candidate.Reranked{Rank: place + 1, Before: from + 1, Score: scores[from]}
		c.Final = before[place].Final
		best[place] = c
		if place != from {
			moved++
		}
	}
	return moved
}

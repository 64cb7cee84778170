package replay

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/learned"
)

// Reranker is a checked model; see NewReranker.
type Reranker = learned.Model

// NewReranker checks a model against this program and the weights of the
// ranking that it is to work behind.
func NewReranker(r *contract.Reranker, w config.Ranking) (*Reranker, error) {
	return learned.New(r, w)
}

// Features are the names of what a learned reranker sees of a candidate,
// and the index of the one that it begins with.
func Features() (names []string, base int) {
	names = learned.Names()
	return names, slices.Index(names, learned.Base)
}

// RankingName names the weights of a ranking, for a model that is trained behind
// them.
func RankingName(w config.Ranking) string { return learned.Ranking(w) }

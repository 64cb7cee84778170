package learn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// size notes how large a model is and what it looks at.
func (r *Result) size(m *contract.Reranker) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode the model: %w", err)
	}
	r.Trees, r.Bytes = len(m.Trees), len(raw)
	nodes := make([]int, len(m.Features))
	for _, t := range m.Trees {
		for _, f := range t.Feature {
			nodes[f]++
		}
	}
	for f, n := range nodes {
		if n > 0 {
			r.Uses = append(r.Uses, Use{m.Features[f], n})
		}
	}
	slices.SortFunc(r.Uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), strings.Compare(a.Feature, b.Feature))
	})
	return nil
}

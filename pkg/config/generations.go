package config

import "github.com/freshet-dev/freshet/pkg/contract"

// Cut is where the chunker cuts.
func (c Chunker) Cut() contract.Cut {
	return contract.Cut{Target: c.Target, Max: c.Max, Prose: c.Prose, Overlap: c.Overlap}
}

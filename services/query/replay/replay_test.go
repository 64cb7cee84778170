package replay

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A hit is shown by the definition that was asked for, and is ranked by all of them.
func TestHitOfSeveralDefinitions_IsReplayedByAllOfThem(t *testing.T) {
	hit := contract.Hit{Symbol: "ReadFile", IndexedAs: "join", Names: []string{"join", "readAll"}, Channels: map[string]contract.Channel{"lexical": {Rank: 1}}}
	found := recalledBy([]contract.Hit{hit}, "lexical", 10)
	if len(found) != 1 || found[0].Attrs.Symbol != "join\nReadFile\nreadAll" {
		t.Errorf("it is replayed as %+v", found)
	}
}

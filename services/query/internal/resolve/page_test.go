package resolve

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

func TestSectionsOfALongDocument_AreBoundLessThanCode(t *testing.T) {
	var list []Shown
	for _, generation := range []document.Generation{"code-0a1b2c3d", "docs-0a1b2c3d"} {
		for range 8 {
			list = append(list, Shown{
				Head:      contract.FileHead{Source: "s", Doc: document.DocOf(document.Path(generation))},
				Candidate: candidate.Candidate{Found: candidate.Found{Generation: generation}},
			})
		}
	}
	spread, _ := Spread(list, PerFile{Code: 2, Docs: 4}, nil)
	same := map[document.Generation]int{}
	for _, s := range spread[:min(len(spread), pageSize)] {
		same[s.Candidate.Generation]++
	}
	if same["code-0a1b2c3d"] != 2 || same["docs-0a1b2c3d"] != 4 {
		t.Errorf("of the first ten hits of one source file and one document: %v", same)
	}
}

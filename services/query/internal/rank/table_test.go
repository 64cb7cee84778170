package rank

import (
	"os"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

func TestEverySignal_StandsOnceInTheTableAndInTheDocs(t *testing.T) {
	raw, err := os.ReadFile("../../../../docs/explanation/ranking.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[candidate.Signal]int{}
	for _, s := range table {
		seen[s.is]++
		if s.value == nil && (s.passage || s.file) || !s.factor && s.value != nil && s.weight == nil {
			t.Errorf("%s has no value or no weight", s.is)
		}
		if !strings.Contains(string(raw), "| `"+s.is.String()+"` | ") {
			t.Errorf("docs/explanation/ranking.md does not explain %s", s.is)
		}
	}
	for s := range (candidate.Signals{}) {
		if seen[candidate.Signal(s)] != 1 || candidate.Signal(s).String() == "" {
			t.Errorf("signal %d (%s) stands %d times in the table", s, candidate.Signal(s), seen[candidate.Signal(s)])
		}
	}
}

package variants

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// found makes passages of names, with these scores.
func found(scores map[string]float64, order ...string) (list []candidate.Found) {
	for _, name := range order {
		list = append(list, candidate.Found{
			ID: document.NewChunkID("s", document.Path(name), "", 0, 1), Score: scores[name], Attrs: store.Attrs{Path: document.Path(name)},
		})
	}
	return list
}

func named(list []candidate.Found) string {
	var out []string
	for i := range list {
		out = append(out, string(list[i].Attrs.Path))
	}
	return strings.Join(out, " ")
}

func TestVariant_CountsByItsWeight(t *testing.T) {
	question := Found{Lexical: found(map[string]float64{"both": 8, "own": 10}, "own", "both"), Pending: found(map[string]float64{"new": 4}, "new")}
	variant := Found{
		Lexical: found(map[string]float64{"both": 200, "other": 180}, "both", "other"),
		Pending: found(map[string]float64{"new": 100, "newer": 20}, "new", "newer"),
	}
	out := Fuse(question, []Found{variant, {}})
	// 8 + .5·10, 10, .5·9; 4 + .5·5, .5·1, as 200 counts what 10 do
	if named(out.Lexical) != "both own other" || out.Lexical[0].Score != 13 || out.Lexical[2].Score != 4.5 {
		t.Errorf("%+v", out.Lexical)
	}
	if named(out.Pending) != "new newer" || out.Pending[0].Score != 6.5 || out.Pending[1].Score != .5 {
		t.Errorf("%+v", out.Pending)
	}
	if question.Lexical[0].Score != 10 || named(question.Lexical) != "own both" {
		t.Errorf("the question's own passages were changed: %+v", question.Lexical)
	}
	if alone := Fuse(Found{}, []Found{variant}); named(alone.Lexical) != "both other" || alone.Lexical[0].Score <= 0 {
		t.Errorf("a question that finds nothing: %+v", alone.Lexical)
	}
}

package eval

import (
	"reflect"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestArm_HasStagesAndWeights(t *testing.T) {
	for text, want := range map[string]Arm{
		"words alone=vector,signals":         {Name: "words alone", Off: []string{"vector", "signals"}},
		"fewer=vector_natural=0.3":           {Name: "fewer", Ranking: map[string]string{"vector_natural": "0.3"}},
		"surer=min_confidence=0.2":           {Name: "surer", MinConfidence: .2},
		"rrf = fusion=rrf, signals,stem=0.5": {Name: "rrf", Off: []string{"signals"}, Ranking: map[string]string{"fusion": "rrf", "stem": "0.5"}},
	} {
		if got, err := ParseArm(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "name", "name=", "=vector", "sure=min_confidence=much", "sure=min_confidence=2"} {
		if _, err := ParseArm(text); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%q: %v", text, err)
		}
	}
}

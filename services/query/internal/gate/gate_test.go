package gate

import (
	"maps"
	"math"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/confidence"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

func shown(path, symbol, text string, c candidate.Candidate) resolve.Shown {
	return resolve.Shown{
		Candidate: c, Head: contract.FileHead{Path: document.Path(path)}, Text: []byte(text),
		Span: document.Span{Symbol: symbol, Names: []string{"helperOf" + symbol}, Headings: []string{"Keys"}},
	}
}

func weigh(class analysis.Class, hits ...resolve.Shown) Evidence {
	words := cover.New("rotate the session ticket keys", analysis.New(), func(string) float64 { return 1 })
	found := []candidate.Found{{Score: 12}, {Score: 3}}
	return Weigh(&Search{Words: words, Unknown: .25, Class: class, Lexical: found, Vector: []candidate.Found{{Score: -.2}}}, hits)
}

var ordinary = []resolve.Shown{
	shown("tls/ticket.go", "rotateKeys", "func rotateKeys(session Session) {}", candidate.Candidate{
		Final: 1.5, Lexical: contract.Channel{Rank: 1, Score: 12}, Vector: contract.Channel{Rank: 2, Score: .6}, Signals: candidate.Signals{candidate.Definition: 3},
	}),
	shown("net/dial.go", "dial", "func dial() {}", candidate.Candidate{Final: .5, Vector: contract.Channel{Rank: 9, Score: -.3}}),
}

// Evidence that was renamed would count nothing, and nobody would notice.
func TestCalibration_WeighsOnlyEvidenceThatIsGiven(t *testing.T) {
	c, err := Bundled()
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	e := weigh(analysis.Natural, ordinary...)
	for name := range e.Answer {
		given[name] = true
	}
	models := maps.Clone(c.Kinds)
	models["others"] = confidence.Kind{Answer: c.Answer, Hit: c.Hit}
	for kind, k := range models {
		for _, w := range k.Answer.Weights {
			if !given[w.Name] {
				t.Errorf("answer, %s: there is no %s", kind, w.Name)
			}
		}
		for _, w := range k.Hit.Weights {
			if _, ok := e.Hits[0][w.Name]; !ok {
				t.Errorf("hit, %s: there is no %s", kind, w.Name)
			}
		}
	}
	if c.Tasks < 500 || c.Unanswerable < 200 || !(c.Low > 0) || !(c.Kinds[confidence.Sentence].Low > 0) || !(c.Kinds[confidence.Name].Low > 0) {
		t.Errorf("fitted on %d tasks, %d without an answer; low is %v", c.Tasks, c.Unanswerable, c.Low)
	}
}

func TestEvidence_StaysWithinItsBounds(t *testing.T) {
	odd := shown("a", "", "", candidate.Candidate{Final: math.Inf(1), Vector: contract.Channel{Rank: 1, Score: -1}})
	for name, hits := range map[string][]resolve.Shown{
		"none": nil, "ordinary": ordinary, "one": ordinary[:1], "odd": {odd, ordinary[0]}, "no score": {shown("b", "", "", candidate.Candidate{}), odd},
	} {
		for _, class := range []analysis.Class{analysis.Natural, analysis.Symbol, analysis.Path, analysis.Error} {
			e := weigh(class, hits...)
			for _, one := range append([]map[string]float64{e.Answer}, e.Hits...) {
				for what, v := range one {
					if !(v >= 0 && v <= 1) {
						t.Errorf("%s: %s is %v", name, what, v)
					}
				}
			}
		}
	}
	e := weigh(analysis.Natural, ordinary...)
	if e.Hits[0]["cover"] != 1 || e.Hits[0]["text"] != .75 || e.Hits[1]["text"] != 0 || e.Answer["gap"] <= .5 || e.Answer["both"] != .5 || e.Answer["lexical_fall"] != .75 {
		t.Errorf("%v", e)
	}
}

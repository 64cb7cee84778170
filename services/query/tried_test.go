package query

import (
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// What is tried holds for the one question, and the model, which knows the order of the
// configured weights, stays out of it.
func TestWeightsOfARequest_OrderThatAnswerAlone(t *testing.T) {
	r := taught(t)
	r.reranker(contract.RerankerRequest{Model: deep()})
	r.stored("f_test.go", "rotate the key\nbeta\n")
	place := func(ranking map[string]string) (at int, learned string) {
		reply := r.search(contract.SearchRequest{Query: "rotate the key", Ranking: ranking, Token: "latest"})
		for _, s := range reply.Trace {
			if s.Stage == "learned" {
				learned = s.Note
			}
		}
		return slices.IndexFunc(reply.Hits, func(h contract.Hit) bool { return h.Path == "f_test.go" }), learned
	}
	before, note := place(nil)
	if before < 0 || strings.Contains(note, "left out") {
		t.Fatalf("the test stands at %d, learned: %q", before, note)
	}
	high, note := place(map[string]string{"penalty_power": "0"})
	low, again := place(map[string]string{"penalty_power": "10"})
	if high < 0 || high >= low || !strings.Contains(note, "weights that hold") || note != again {
		t.Errorf("without penalties the test stands at %d, with heavy ones at %d, learned: %q", high, low, note)
	}
	if after, _ := place(nil); after != before {
		t.Errorf("the test stood at %d before, and stands at %d after", before, after)
	}
}

func TestWeightThatIsNone_IsRefusedByName(t *testing.T) {
	r := newRig(t)
	for key, says := range map[string]string{"vectr_natural": "vector_natural", "stem": "use 0 to 10"} {
		_, err := r.ask(contract.SearchRequest{Query: "x", Ranking: map[string]string{key: "99"}})
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if m := r.raw(`{"query": "x", "ranking": {"stem": 1}}`); m.Header.Get("Nats-Service-Error-Code") != string(document.InvalidRequest) {
		t.Errorf("a truth value is answered with %v: %s", m.Header, m.Data)
	}
}

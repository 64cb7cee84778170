package query

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// What somebody saved a moment ago is looked for by a word that nothing else
// has, among words that nothing here has.
func TestRareWordOfTheQuestionInTheFirstHit_SomethingIsRelevant(t *testing.T) {
	r := library(t)
	const saved = "note.go"
	in := contract.SearchRequest{Query: "migrate zookeeper quorum ballots to kubernetes operator Zygomorph", Text: contract.TextFull, Explain: true}
	if reply := r.search(in); !reply.NothingRelevant {
		t.Fatalf("without the note it is %.2f sure of %s", sure(t, reply), texts(reply))
	}
	r.write(saved, "package notes\n\nThe zygomorph flower has one plane of symmetry.\n")
	for _, c := range []struct {
		when string
		next func()
	}{{"pending", func() {}}, {"indexed", func() { r.settle(saved) }}} {
		c.next()
		reply := r.search(in)
		if len(reply.Hits) == 0 || reply.Hits[0].Path != saved {
			t.Fatalf("%s: %s", c.when, texts(reply))
		}
		low := r.svc.configured.calibration.LowOf(reply.Evidence)
		if sure(t, reply) >= low {
			t.Fatalf("%s: it is %.2f sure, so that this tests nothing", c.when, sure(t, reply))
		}
		if reply.NothingRelevant {
			t.Errorf("%s: nothing is relevant, says the answer that begins with %s", c.when, reply.Hits[0].Text)
		}
		in.MinConfidence = low
		if reply := r.search(in); len(reply.Hits) > 0 {
			t.Errorf("%s: min_confidence lists %s", c.when, texts(reply))
		}
		in.MinConfidence = 0
	}
}

// Its words stand in many passages, or in none.
const common = "which package of turbines has a zeppelin func"

func TestCommonWordInTheFirstHit_NothingIsRelevant(t *testing.T) {
	r := library(t)
	reply := r.search(contract.SearchRequest{Query: common, Text: contract.TextFull})
	if len(reply.Hits) == 0 || !strings.Contains(reply.Hits[0].Text, "package") || !reply.NothingRelevant {
		t.Errorf("%.2f sure of %s", sure(t, reply), texts(reply))
	}
}

// None of its words is one that the lexical index keeps, so that none is rare.
func TestFirstHitHoldsTheWholeQuestion_SomethingIsRelevant(t *testing.T) {
	r := library(t)
	r.stored("hamlet.txt", "To be, or not to be: that is\nthe question.\n")
	for query, held := range map[string]bool{"that is the": true, "is what that is?": false} {
		reply := r.search(contract.SearchRequest{Query: query, Text: contract.TextFull, Explain: true})
		if (reply.Hits[0].Path == "hamlet.txt") != held || sure(t, reply) >= r.svc.configured.calibration.LowOf(reply.Evidence) {
			t.Fatalf("%q: %.2f sure of %s", query, sure(t, reply), texts(reply))
		}
		if reply.NothingRelevant == held {
			t.Errorf("%q: nothing is relevant: %t", query, reply.NothingRelevant)
		}
	}
}

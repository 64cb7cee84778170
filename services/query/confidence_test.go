package query

import (
	"fmt"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// library is a rig with enough passages that some question has an answer and
// another has none.
func library(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.stored("addr/parse.go", parser)
	for i, text := range []string{
		"func Rotate() { closeLogFile(); openNextLogFile() }", "func Compress(w io.Writer) { deflate(w) }",
		"func Render(page Template) { write(page.Header) }", "func Retry(n int) { sleepWithBackoff(n) }",
		"func Encrypt(key Key, plain []byte) { cipherBlock(key, plain) }", "func Sort(names []string) { quickSort(names) }",
		"func Dial(host string) { openConnection(host) }", "func Walk(dir string) { readFolder(dir) }",
		"func Draw(c Canvas) { fillRectangle(c) }", "func Vote(candidate string) { countBallot(candidate) }",
	} {
		r.stored(fmt.Sprintf("lib/f%d.go", i), "package lib\n\n"+text+"\n")
	}
	return r
}

func sure(t *testing.T, reply contract.SearchReply) float64 {
	t.Helper()
	if reply.Confidence == nil {
		t.Fatal("the answer states no confidence")
	}
	return *reply.Confidence
}

func TestNonsense_IsAnsweredWithoutConfidence(t *testing.T) {
	r := library(t)
	right := r.search(contract.SearchRequest{Query: "parse an address strictly", Explain: true})
	wrong := r.search(contract.SearchRequest{Query: "migrate zookeeper quorum ballots to kubernetes operator", Explain: true})
	high, low := sure(t, right), sure(t, wrong)
	if !(high > low) || high > 1 || low < 0 {
		t.Errorf("confidence %.3f with an answer, %.3f without", high, low)
	}
	if len(wrong.Hits) == 0 || !wrong.NothingRelevant || right.NothingRelevant {
		t.Errorf("%d hits, nothing relevant: %t and %t; confidence %.3f and %.3f; %v", len(wrong.Hits), wrong.NothingRelevant, right.NothingRelevant, low, high, wrong.Evidence)
	}
	if h := right.Hits[0]; h.Confidence <= right.Hits[len(right.Hits)-1].Confidence || h.Evidence["cover"] == 0 || right.Evidence["first_cover"] != h.Evidence["cover"] {
		t.Errorf("first hit %.3f by %v, answer by %v", h.Confidence, h.Evidence, right.Evidence)
	}
	if s := traced(right, "confidence"); s == nil || s.Out != len(right.Hits) {
		t.Errorf("trace %+v", s)
	}
	in := contract.SearchRequest{Query: "migrate zookeeper quorum ballots to kubernetes operator", MinConfidence: (low + high) / 2}
	if reply := r.search(in); len(reply.Hits) != 0 || sure(t, reply) != low {
		t.Errorf("%d hits in spite of min_confidence", len(reply.Hits))
	}
	in.Query = "parse an address strictly"
	if reply := r.search(in); len(reply.Hits) != len(right.Hits) {
		t.Errorf("%d hits, %d without min_confidence", len(reply.Hits), len(right.Hits))
	}
}

// One hit holds the answer less surely than ten.
func TestOneHit_IsLessSureThanTen(t *testing.T) {
	r := library(t)
	one := 1
	in := contract.SearchRequest{Query: "how is a folder read"}
	ten := sure(t, r.search(in))
	in.K = &one
	reply := r.search(in)
	if got := sure(t, reply); got > ten || got > reply.Hits[0].Confidence {
		t.Errorf("%.3f with one hit of %.3f, %.3f with ten", got, reply.Hits[0].Confidence, ten)
	}
}

func TestConfidenceThatWasLeftOut_IsNotStated(t *testing.T) {
	r := library(t)
	reply := r.search(contract.SearchRequest{Query: "parse an address", Off: []string{"confidence"}})
	if reply.Confidence != nil || reply.NothingRelevant || len(reply.Hits) == 0 || reply.Hits[0].Confidence != 0 {
		t.Errorf("%+v", reply)
	}
	_, err := r.ask(contract.SearchRequest{Query: "parse an address", Off: []string{"confidence"}, MinConfidence: .5})
	if document.KindOf(err) != document.InvalidRequest {
		t.Errorf("min_confidence without confidence: %v", err)
	}
	empty := newRig(t)
	if reply := empty.search(contract.SearchRequest{Query: "parse an address"}); sure(t, reply) != 0 || !reply.NothingRelevant {
		t.Errorf("an empty index is sure by %.2f", *reply.Confidence)
	}
}

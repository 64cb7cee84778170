package rank

import (
	"math"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// final makes an order of passages with these scores.
func final(list ...candidate.Found) (out []candidate.Candidate) {
	for _, f := range list {
		out = append(out, candidate.Candidate{Found: f, Final: f.Score})
	}
	return out
}

func TestFileThatBothPartsFind_StandsAboveOneOfEach(t *testing.T) {
	whole := final(found("noise.go", "A", 9), found("both.go", "B", 8), found("both.go", "C", 4))
	part := final(found("title.go", "D", 2), found("both.go", "C", 1.8))
	all := Join(whole, part)
	if all[0].Attrs.Path != "both.go" || all[0].Final != 9 {
		t.Fatalf("first is %s with %v", all[0].Attrs.Path, all[0].Final)
	}
	// 1/3 of each of both: C has all of one and half of the other.
	if all[0].Attrs.Symbol != "C" || all[0].Part.Rank != 2 {
		t.Errorf("first is %s, of the part %+v", all[0].Attrs.Symbol, all[0].Part)
	}
	for _, c := range all {
		if c.Attrs.Symbol == "B" && math.Abs(c.Final-9*2/3.) > 1e-9 {
			t.Errorf("a passage that only one part found has %v", c.Final)
		}
		if c.Attrs.Symbol == "D" && (c.Part.Rank != 1 || c.Lexical.Rank != 0 || math.Abs(c.Final-9*(1/2.)/(2/3.)) > 1e-9) {
			t.Errorf("what only the headline found: %v, %+v", c.Final, c.Part)
		}
	}
	if len(all) != 4 {
		t.Errorf("%d passages", len(all))
	}
}

func TestWhatWasAskedForExactly_StaysAfterTheJoin(t *testing.T) {
	whole := final(found("exact.go", "A", 9), found("b.go", "B", 8))
	whole[1].Signals[candidate.Place], whole[1].Final = 15, 23
	part := final(found("exact.go", "A", 2))
	all := Join([]candidate.Candidate{whole[1], whole[0]}, part)
	if all[0].Attrs.Path != "b.go" || all[0].Final < 15 {
		t.Errorf("first is %s with %v", all[0].Attrs.Path, all[0].Final)
	}
}

// Who reports something mentions tests and documentation, and wants the code.
func TestWordOfAnIssue_DoesNotAskForTests(t *testing.T) {
	w := weights(Convex)
	whole, headline := query("the server forgets a request, see the test and the docs"), query("server forgets a request")
	code, test, docs := written("server.go", "go", 1), written("server_test.go", "go", 1), written("server.md", "markdown", 1)
	rate := func(q *Query, f candidate.Found) float64 {
		at := placeOf(f.Attrs.Path)
		return q.penalty(&at, &candidate.Candidate{Found: f}, w)
	}
	if rate(whole, test) != 1 || rate(whole, docs) != 1 {
		t.Fatal("a question that is no issue has other penalties")
	}
	whole.IsAbout(headline)
	for _, q := range []*Query{whole, headline} {
		if rate(q, code) != 1 || rate(q, test) >= .5 || rate(q, docs) >= .5 {
			t.Errorf("code %v, test %v, docs %v", rate(q, code), rate(q, test), rate(q, docs))
		}
	}
	if whole.asksProse(&candidate.Candidate{Found: docs}, w) != 1 {
		t.Error("it asks for documentation")
	}
	whole, headline = query("docs of the server are wrong, see the test"), query("docs of the server are wrong")
	whole.IsAbout(headline)
	if rate(whole, docs) != 1 || whole.asksProse(&candidate.Candidate{Found: docs}, w) == 1 {
		t.Error("the headline asks for documentation, and it has a penalty")
	}
}

func TestFolderOfTests_IsToldByItsName(t *testing.T) {
	w := weights(Convex)
	for path, side := range map[string]bool{
		"test-data/a.go": true, "test cases/a.go": true, "unit_tests/a.go": true, "x/select1.test": true,
		".github/ISSUE_TEMPLATE/bug.md": true, ".github/pull_request_template.md": true,
		"latest-data/a.go": false, "contests/a.go": false, "template/a.go": false, "a/test.go/b.go": true,
	} {
		at := placeOf(document.Path(path))
		if got := query("parse").penalty(&at, &candidate.Candidate{Found: found(path, "", 1)}, w); (got < 1) != side {
			t.Errorf("%s: factor %v", path, got)
		}
	}
}

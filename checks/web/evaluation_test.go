package web

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// evaluate has the golden questions asked, and returns what was found.
func (s *site) evaluate(body string) contract.Evaluation {
	s.t.Helper()
	a := s.as(contract.RoleWrite, "POST", "/api/v1/evaluate", body)
	lines := bytes.Split(bytes.TrimSpace(a.body), []byte("\n"))
	var last contract.EvaluationPart
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.Evaluation == nil || last.Done != last.Total {
		s.t.Fatalf("%d: the evaluation ends with %s, %v", a.code, lines[len(lines)-1], err)
	}
	return *last.Evaluation
}

func (s *site) golden(body string) contract.GoldenList {
	s.t.Helper()
	a := s.as(contract.RoleWrite, "POST", "/api/v1/golden", body)
	var list contract.GoldenList
	if err := json.Unmarshal(a.body, &list); err != nil || a.code != http.StatusOK {
		s.t.Fatalf("%d %s", a.code, a.body)
	}
	return list
}

func (s *site) evaluations(body string) []contract.Evaluation {
	s.t.Helper()
	var list contract.EvaluationList
	if err := json.Unmarshal(s.as(contract.RoleAsk, "POST", "/api/v1/evaluations", body).body, &list); err != nil {
		s.t.Fatal(err)
	}
	return list.Evaluations
}

// What is tried is measured beside what is configured, question by question, kept, and
// found again.
func TestGoldenQuestions_AreAskedInEachWayAndWhatTheyFindIsKept(t *testing.T) {
	s := start(t, nil)
	s.golden(`{"source":"birds","query":"where does the heron wait","answers":[{"path":"heron.go"}]}`)
	s.golden(`{"source":"birds","query":"where does the ibis nest","answers":[{"path":"ibis.md","start_line":3,"end_line":3}]}`)
	s.golden(`{"source":"birds","query":"where does the ibis  nest","answers":[{"path":"ibis.md"}]}`) // the same words
	list := s.golden(`{"source":"birds","query":"quarterly revenue of zymurgy exporters"}`)
	if len(list.Questions) != 3 || list.Questions[0].By == "" || list.Questions[0].Time.IsZero() {
		t.Fatalf("kept are %+v", list.Questions)
	}
	run := s.evaluate(`{"note":"nothing is found","arms":[{"name":"words","off":["vector"],"ranking":{"stem":"0"}},{"name":"sure","min_confidence":1}]}`)
	if run.Answerable != 2 || run.Unanswerable != 1 || len(run.Arms) != 3 || run.Note != "nothing is found" || run.By == "" || run.Version == "" {
		t.Fatalf("found is %+v", run)
	}
	for _, q := range run.Questions {
		i := slices.IndexFunc(list.Questions, func(g contract.GoldenQuestion) bool { return g.ID == q.ID && g.Source == q.Source })
		if i < 0 {
			t.Fatalf("%s is no golden question", q.ID)
		}
		want := []int{1, 1, 0}
		if len(list.Questions[i].Answers) == 0 {
			want = []int{q.Ranks[0], q.Ranks[1], 1} // whether the others refuse is not of this test
		}
		if !slices.Equal(q.Ranks, want) {
			t.Errorf("%s stands at %v, want %v", list.Questions[i].Query, q.Ranks, want)
		}
	}
	first, sure := run.Arms[0], run.Arms[2]
	if mrr := first.Figures["mrr"]; mrr.Value != 1 || mrr.Against != nil || len(first.Figures) != 8 {
		t.Errorf("as configured: %+v", first.Figures)
	}
	d := sure.Figures["mrr"]
	if d.Value != 0 || d.Against == nil || d.Against.Value != -1 || d.Against.Loses != 2 || d.Against.Wins != 0 || sure.Refused != 1 {
		t.Errorf("with what is sure alone: %+v, %d refused", d, sure.Refused)
	}
	if first.P50MS <= 0 || first.P99MS < first.P50MS {
		t.Errorf("answers took %v to %v ms", first.P50MS, first.P99MS)
	}
	second := s.evaluate(`{}`)
	kept := s.evaluations(`{}`)
	if len(kept) != 2 || kept[0].ID != second.ID || kept[1].ID != run.ID || kept[1].Questions != nil {
		t.Errorf("kept are %+v", kept)
	}
	if one := s.evaluations(`{"id":"` + run.ID + `"}`); len(one) != 1 || len(one[0].Questions) != 3 {
		t.Errorf("the one is %+v", one)
	}
	if a := s.as(contract.RoleWrite, "DELETE", "/api/v1/evaluations/"+run.ID, ""); a.code != http.StatusOK || len(s.evaluations(`{}`)) != 1 {
		t.Errorf("removed: %d %s", a.code, a.body)
	}
}

func TestGoldenQuestionsThatCannotBe_AreRefusedByName(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		method, path, body string
		role               contract.Role
		kind               document.ErrorKind
		says               string
	}{
		{"POST", "/api/v1/evaluate", `{}`, contract.RoleWrite, document.NotFound, "no golden question is kept"},
		{"POST", "/api/v1/golden", `{"source":"fish","query":"x"}`, contract.RoleWrite, document.NotFound, `there is no source "fish"`},
		{"POST", "/api/v1/golden", `{"source":"birds","query":" "}`, contract.RoleWrite, document.InvalidRequest, "query is empty"},
		{"POST", "/api/v1/golden", `{"source":"birds","query":"x","answers":[{"path":"/a"}]}`, contract.RoleWrite, document.InvalidRequest, "answers[0].path"},
		{"POST", "/api/v1/golden", `{"source":"birds","query":"x","answers":[{"path":"a","start_line":3,"end_line":2}]}`, contract.RoleWrite, document.InvalidRequest, "lines 3 to 2"},
		{"POST", "/api/v1/golden", `{"source":"birds","query":"x"}`, contract.RoleAsk, document.Forbidden, "write"},
		{"DELETE", "/api/v1/golden/birds/0123", ``, contract.RoleWrite, document.NotFound, "there is no golden question 0123"},
		{"DELETE", "/api/v1/golden/birds/%2A", ``, contract.RoleWrite, document.InvalidRequest, "the id of the golden question is"},
		{"DELETE", "/api/v1/golden/%2A/0123", ``, contract.RoleWrite, document.InvalidRequest, "source: "},
		{"DELETE", "/api/v1/evaluations/%3E", ``, contract.RoleWrite, document.InvalidRequest, "the id of the evaluation is"},
		{"POST", "/api/v1/evaluations", `{"id":"none"}`, contract.RoleAsk, document.NotFound, "there is no evaluation"},
		{"POST", "/api/v1/evaluate", `{"arms":[{"name":""}]}`, contract.RoleWrite, document.InvalidRequest, "arms[0].name"},
		{"POST", "/api/v1/evaluate", `{"arms":[{"name":"a"},{"name":"a"}]}`, contract.RoleWrite, document.InvalidRequest, "two ways"},
	} {
		a := s.as(c.role, c.method, c.path, c.body)
		if f := a.failure(t); f.Error.Kind != c.kind || !strings.Contains(f.Error.Message, c.says) {
			t.Errorf("%s %s %s: %d %+v", c.method, c.path, c.body, a.code, f.Error)
		}
	}
	s.golden(`{"source":"birds","query":"where does the heron wait","answers":[{"path":"heron.go"}]}`)
	a := s.as(contract.RoleWrite, "POST", "/api/v1/evaluate", `{"arms":[{"name":"typo","ranking":{"vectr_natural":"0.3"}}]}`)
	if !strings.Contains(string(a.body), "did you mean vector_natural?") || len(s.evaluations(`{}`)) != 0 {
		t.Errorf("a weight that is none: %s", a.body)
	}
}

// What is kept of a source goes with it.
func TestSourceIsRemoved_ItsGoldenQuestionsAreGone(t *testing.T) {
	s := start(t, nil)
	s.as(contract.RoleAdmin, "POST", "/api/v1/sources", `{"kind":"api","source":"notes"}`)
	s.as(contract.RoleAdmin, "POST", "/api/v1/documents", `{"source":"notes","documents":[{"path":"a.md","text":"A stork came by."}]}`)
	s.golden(`{"source":"notes","query":"who came by","answers":[{"path":"a.md"}]}`)
	s.golden(`{"source":"birds","query":"where does the heron wait","answers":[{"path":"heron.go"}]}`)
	if a := s.as(contract.RoleAdmin, "DELETE", "/api/v1/sources/notes", ""); a.code != http.StatusOK {
		t.Fatalf("%d %s", a.code, a.body)
	}
	var list contract.GoldenList
	if err := json.Unmarshal(s.as(contract.RoleAsk, "GET", "/api/v1/golden", "").body, &list); err != nil {
		t.Fatal(err)
	}
	left := map[document.Source]int{}
	for _, q := range list.Questions {
		left[q.Source]++
	}
	if !maps.Equal(left, map[document.Source]int{"birds": 1}) {
		t.Errorf("left are %v", left)
	}
}

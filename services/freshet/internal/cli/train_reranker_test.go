package cli_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/learn"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// birds is a corpus in which each question has four answers by its words, and the
// right one is always the one that lies deep.
func birds(t *testing.T) (corpus, tasks string) {
	t.Helper()
	files, lines := map[string]string{}, strings.Builder{}
	for i, bird := range strings.Fields(`heron ibis stork egret crane curlew plover dunlin avocet
		godwit knot ruff snipe teal wigeon pintail garganey pochard`) {
		for j, deed := range []string{"wades", "breeds", "nests"} {
			for k := range 3 {
				files[fmt.Sprintf("p%d/x%d_%d.go", k, i, j)] = fmt.Sprintf("package p\n\nvar x%d = \"the %s %s, %d\"\n", j, bird, deed, k)
			}
			right := fmt.Sprintf("src/main/far/away/y%d_%d.go", i, j)
			files[right] = fmt.Sprintf("package away\n\nvar y%d = \"the %s %s as all the others of them do, often and long\"\n", j, bird, deed)
			fmt.Fprintf(&lines, `{"id":"%d %d","query":"where the %s %s","group":"%s","relevant":["%s"]}`+"\n", i, j, bird, deed, bird, right)
		}
	}
	tasks = filepath.Join(t.TempDir(), "tasks.jsonl")
	put(t, tasks, lines.String())
	return tree(t, files), tasks
}

func TestTrainedReranker_IsServed(t *testing.T) {
	t.Parallel()
	corpus, tasks := birds(t)
	i := start(t, filepath.Join(t.TempDir(), "data"), corpus)
	ask := func(args ...string) string { return must(t, append(args, "--data", i.data)...) }
	var st contract.StatusReply
	status := func() *contract.RerankerState {
		st = contract.StatusReply{}
		if err := json.Unmarshal([]byte(ask("status", "--json")), &st); err != nil {
			t.Fatal(err)
		}
		return st.Reranker
	}
	train := func(args ...string) (r learn.Result) {
		d := json.NewDecoder(strings.NewReader(ask(append([]string{"train", "reranker", tasks, "--json", "--folds", "2"}, args...)...)))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	search := func() string { return ask("search", "where the ibis wades", "--explain") }

	before := search()
	if r := train("--dry-run", "--check", tasks); r.Check == nil || r.Check.Tasks != 54 || r.Promoted || !r.Better() || r.Tasks != 54 || r.Parts != 18 || status() != nil {
		t.Errorf("%+v, status %+v", r, status())
	}
	if r := train(); !r.Promoted || r.After <= r.Before {
		t.Errorf("%+v", r)
	}
	if s := status(); s == nil || s.Trees == 0 || s.Merit.Tasks != 54 {
		t.Errorf("status %+v", s)
	}
	if text := ask("status"); !strings.Contains(text, "learned") {
		t.Error(text)
	}
	if after := search(); after == before || !strings.Contains(after, "learned") {
		t.Errorf("%s\nbefore:\n%s", after, before)
	}
	if text := ask("train", "reranker", "--remove"); !strings.Contains(text, "served no more") || status() != nil {
		t.Errorf("%s, status %+v", text, status())
	}
	if text := ask("train", "reranker", "--remove"); !strings.Contains(text, "No learned reranker") {
		t.Error(text)
	}
}

func TestModelWithoutAGain_IsNotServed(t *testing.T) {
	t.Parallel()
	corpus := tree(t, small)
	var alike, grouped strings.Builder
	for i := range 60 {
		fmt.Fprintf(&alike, `{"id":"%d","query":"parse a heron %d","relevant":["parse.go"]}`+"\n", i, i)
		fmt.Fprintf(&grouped, `{"id":"%d","query":"parse a heron %d","group":"g%d","relevant":["parse.go"]}`+"\n", i, i, i%6)
	}
	// Its words are in no index: vectors alone answer it, whenever it is asked.
	grouped.WriteString(`{"id":"words","query":"how does it do that","group":"g1","relevant":["parse.go"]}` + "\n")
	tasks := filepath.Join(t.TempDir(), "tasks.jsonl")
	put(t, tasks, alike.String())
	i := start(t, filepath.Join(t.TempDir(), "data"), corpus)
	refuse(t, program(t, "train", "reranker", tasks, "--data", i.data), "1 files", "--folds")
	refuse(t, program(t, "train", "reranker", "--data", i.data), "no task file")
	refuse(t, program(t, "train", "reranker", tasks, "--remove", "--data", i.data), "leave the tasks out")
	refuse(t, program(t, "train", "reranker", tasks, "--folds", "1", "--data", i.data), "--folds")

	put(t, tasks, grouped.String())
	text := must(t, "train", "reranker", tasks, "--folds", "2", "--data", i.data)
	if !strings.Contains(text, "nothing was changed") {
		t.Error(text)
	}
	if text := must(t, "status", "--data", i.data); strings.Contains(text, "learned") {
		t.Error(text)
	}
}

package freshet

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/adapt"
	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

var quoted = regexp.MustCompile("`([^`\n]+)`")

// Every field and every kind of error has to be named on its page.
func TestEveryFieldAndError_IsDescribed(t *testing.T) {
	for page, messages := range map[string][]any{
		"query.md": {
			contract.SearchRequest{}, contract.SearchReply{}, contract.Hit{}, contract.Channel{},
			contract.PendingPath{}, contract.TraceStage{}, contract.Announce{},
		},
		"grep.md":  {contract.GrepRequest{}, contract.GrepReply{}, contract.GrepFile{}, contract.GrepLine{}, contract.GrepRange{}, contract.GrepUnsearched{}},
		"files.md": {contract.FilesRequest{}, contract.FilesPart{}, contract.FileEntry{}, contract.FilesSummary{}},
		"read.md":  {contract.ReadRequest{}, contract.ReadReply{}, contract.ReadCut{}},
		"outline.md": {
			contract.OutlineRequest{}, contract.OutlineReply{}, contract.OutlineDocument{}, contract.OutlineEntry{},
			contract.OutlineFolder{}, contract.OutlineChild{},
		},
		"passages.md": {
			contract.PassagesRequest{}, contract.PassagesOf{}, contract.PassagesReply{}, contract.DocumentPassages{}, contract.Passage{}, contract.PassageSymbol{},
		},
		"related.md":     {contract.RelatedRequest{}, contract.RelatedReply{}, contract.Related{}, contract.Relation{}},
		"context.md":     {contract.ContextRequest{}, contract.ContextReply{}, contract.ContextPassage{}, contract.ContextBudget{}, contract.Turn{}},
		"answer.md":      {contract.AnswerRequest{}, contract.AnswerPart{}, contract.AnswerSentence{}, contract.AnswerSummary{}, contract.AnswerUsage{}},
		"lease.md":       {contract.LeaseCheck{}, contract.LeaseNews{}, contract.LeaseChange{}},
		"evaluations.md": {contract.GoldenQuestion{}, contract.GoldenAnswer{}, contract.EvaluateRequest{}, contract.EvaluationArm{}, contract.EvaluationPart{}, contract.Evaluation{}, contract.EvaluatedArm{}, contract.EvaluatedQuestion{}, contract.RankingRequest{}, contract.KeptRanking{}},
		"watch.md":       {contract.WatchAdd{}, contract.StandingQuestion{}, contract.Watched{}, contract.StandingHit{}},
		"explain.md": {
			contract.ExplainFile{}, contract.FileExplanation{}, contract.IgnoreRule{}, contract.FileState{}, contract.LogVersion{}, contract.PathGroup{},
			contract.ExplainQuery{}, contract.Explanation{}, contract.StageState{}, contract.ChunkState{},
			contract.SearchExplanation{}, contract.TermState{}, contract.PassageState{}, contract.PassageRank{},
		},
		"status.md": {contract.StatusReply{}, contract.SourceInfo{}, contract.StreamInfo{}, contract.Report{}, contract.FailedPath{}, contract.Usage{}},
		"cli.md": {forecast.Report{}, forecast.Collection{}, forecast.Estimate{}, forecast.Sample{}, forecast.Disk{},
			forecast.Folder{}, forecast.Left{}, forecast.Offender{}},
		"../how-to/evaluate.md": {eval.Report{}, eval.Row{}, eval.Estimate{}, eval.Latency{}, eval.Spread{}, eval.Indexing{}, eval.Miss{},
			eval.Comparison{}, eval.Paired{}, eval.Shortfall{}, eval.Target{}, eval.Arm{}, eval.Abstention{}, eval.Reliability{}, eval.Bin{}},
		"../how-to/train-embedder.md": {adapt.Report{}, adapt.Comparison{}},
	} {
		text, err := os.ReadFile(filepath.Join(repository, "docs/reference", page))
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			named[m[1]] = true
			named[strings.TrimPrefix(m[1], "filter.")] = true
		}
		for _, m := range messages {
			for _, field := range fields(reflect.TypeOf(m)) {
				if !named[field] && !strings.Contains(string(text), `"`+field+`":`) {
					t.Errorf("%s: the field %s of %T is not described", page, field, m)
				}
			}
		}
		if page != "query.md" {
			continue
		}
		for _, kind := range document.ErrorKinds {
			if !named[string(kind)] {
				t.Errorf("%s: the error %s is not described", page, kind)
			}
		}
	}
}

// fields returns the names of a message's fields, and those of a nested filter.
func fields(typ reflect.Type) []string {
	var out []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type == reflect.TypeFor[contract.Filter]() {
			out = append(out, fields(f.Type)...)
			continue
		}
		out = append(out, name)
	}
	return out
}

// The page of the actions says of each what a person types for it.
func TestEveryAction_IsDescribed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, "docs/reference/actions.md"))
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|.*\\| ([^|]+) \\|$").FindAllStringSubmatch(string(page), -1) {
		described[m[1]] = m[2]
	}
	for _, kind := range document.ActionKinds {
		if want := render.Action(document.Action{Do: kind}); described[string(kind)] != want {
			t.Errorf("%s is described as %q, it is %q", kind, described[string(kind)], want)
		}
		delete(described, string(kind))
	}
	for kind := range described {
		t.Errorf("%s is described, and is no action", kind)
	}
	for _, field := range fields(reflect.TypeFor[document.Action]()) {
		if !strings.Contains(string(page), "`"+field+"`") {
			t.Errorf("the field %s is not described", field)
		}
	}
}

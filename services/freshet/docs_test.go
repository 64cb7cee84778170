package freshet

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

const repository = "../.."

// written returns every page of the repository by its path.
func written(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != repository {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	code    = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]*`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

func TestEveryLink_LeadsSomewhere(t *testing.T) {
	pages := written(t)
	if len(pages) < 20 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	for page, text := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			path := page
			if file != "" {
				path = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s is not there", page, target)
			} else if anchor != "" && !hasAnchor(pages[path], anchor) {
				t.Errorf("%s: %s has no such heading", page, target)
			}
		}
	}
}

func hasAnchor(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(m[1]) {
			switch {
			case r == ' ', r == '-':
				b.WriteRune('-')
			case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r > 0x7f:
				b.WriteRune(r)
			}
		}
		if b.String() == anchor {
			return true
		}
	}
	return false
}

// A page that nothing leads to is not read.
func TestEveryPage_IsLinked(t *testing.T) {
	pages := written(t)
	linked := map[string]bool{}
	for page, text := range pages {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			file, _, _ := strings.Cut(m[1]+m[2], "#")
			if path := filepath.Join(filepath.Dir(page), file); file != "" && path != page {
				linked[path] = true
			}
		}
	}
	for page := range pages {
		if strings.HasPrefix(page, filepath.Join(repository, "docs")) && !linked[page] {
			t.Errorf("nothing leads to %s", page)
		}
	}
}

var example = regexp.MustCompile("(?s)<!-- ([A-Za-z]+) -->\n```json\n(.*?)```")

func TestEveryExample_IsOfTheContract(t *testing.T) {
	for _, page := range []string{"query.md", "grep.md", "files.md", "read.md", "outline.md", "related.md", "passages.md", "context.md", "lease.md", "watch.md", "evaluations.md"} {
		text, err := os.ReadFile(filepath.Join(repository, "docs/reference", page))
		if err != nil {
			t.Fatal(err)
		}
		found := example.FindAllStringSubmatch(string(text), -1)
		if all := strings.Count(string(text), "```json"); len(found) != all || all == 0 {
			t.Errorf("%s: %d of %d examples name their message", page, len(found), all)
		}
		for _, m := range found {
			decodeExample(t, m[1], m[2])
		}
	}
}

func decodeExample(t *testing.T, message, text string) {
	t.Helper()
	into := map[string]any{
		"SearchRequest": &contract.SearchRequest{}, "SearchReply": &contract.SearchReply{}, "Understood": &contract.Understood{},
		"GrepRequest": &contract.GrepRequest{}, "GrepReply": &contract.GrepReply{},
		"FilesRequest": &contract.FilesRequest{}, "FilesPart": &contract.FilesPart{},
		"ReadRequest": &contract.ReadRequest{}, "ReadReply": &contract.ReadReply{},
		"OutlineRequest": &contract.OutlineRequest{}, "OutlineReply": &contract.OutlineReply{},
		"GoldenQuestion": &contract.GoldenQuestion{}, "EvaluateRequest": &contract.EvaluateRequest{}, "RankingRequest": &contract.RankingRequest{}, "RankingReply": &contract.RankingReply{}, "Evaluation": &contract.Evaluation{},
		"WatchAdd": &contract.WatchAdd{}, "Watched": &contract.Watched{}, "StandingHit": &contract.StandingHit{},
		"PassagesRequest": &contract.PassagesRequest{}, "PassagesReply": &contract.PassagesReply{},
		"LeaseCheck": &contract.LeaseCheck{}, "LeaseNews": &contract.LeaseNews{},
		"AnswerRequest": &contract.AnswerRequest{}, "AnswerPart": &contract.AnswerPart{},
		"RelatedRequest": &contract.RelatedRequest{}, "RelatedReply": &contract.RelatedReply{},
		"ContextRequest": &contract.ContextRequest{}, "ContextReply": &contract.ContextReply{},
		"PendingPath": &contract.PendingPath{}, "FailedPath": &contract.FailedPath{},
		"ErrorReply": &contract.ErrorReply{}, "Announce": &contract.Announce{}, "AnnounceReply": &contract.AnnounceReply{},
	}[message]
	if into == nil {
		t.Errorf("there is no message %s", message)
		return
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Errorf("%s: %v in\n%s", message, err, text)
	}
}

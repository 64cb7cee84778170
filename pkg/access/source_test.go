package access_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Rules that stand in a source narrow what the operator's show, and show nothing more.
func TestRulesStandInASource_BothHaveToShowADocument(t *testing.T) {
	r, _ := opened(t, twoRules)
	standing := contract.SourceRulesOf("rules:\n  - {groups: [docs], paths: [docs/]}\n  - {groups: [everyone], collections: [code]}\n")
	r.InSources(func(s document.Source, v document.View) contract.SourceRules {
		if s == "app" && v == document.Worktree {
			return standing
		}
		return contract.SourceRules{}
	})
	for _, c := range []struct {
		who        contract.Principal
		source     document.Source
		collection document.Collection
		path       document.Path
		sees       bool
	}{
		{key("docs"), "app", "docs", "docs/a.md", true},
		{key("docs"), "app", "docs", "README.md", false},
		{key("docs"), "app", "code", "README.md", true},
		{key("docs"), "app", "code", "main.go", false}, // the operator's do not show it
		{key("docs"), "other", "docs", "README.md", true},
		{key("payments"), "app", "docs", "docs/a.md", false},
		{key("payments"), "ledger", "docs", document.AccessFile, false},
		{contract.OfUser(string(contract.RoleAdmin)), "app", "docs", "README.md", true},
		{contract.OfUser(string(contract.RoleAdmin)), "app", "docs", document.AccessFile, true},
	} {
		s := r.Sight(c.who)
		if got := s.Document(head(c.source, c.collection, c.path, "")); got != c.sees {
			t.Errorf("%+v sees %s of %s in %s: %t", c.who, c.path, c.collection, c.source, got)
		}
		change := contract.Change{Source: c.source, Collection: c.collection, Path: c.path}
		if c.source == "app" {
			change.Access = standing.Texts()
		}
		if got := s.Change(&change); got != c.sees {
			t.Errorf("%+v is told of %s in %s: %t", c.who, c.path, c.source, got)
		}
	}
	if s := r.Sight(key("docs")); s.Anyhow("app", document.Worktree, "docs/a.md") != true || s.Anyhow("app", document.Worktree, "README.md") || !s.Anyhow("app", "other", "README.md") {
		t.Error("a path is not decided as its document")
	}
}

// A head that was read under other rules than those of now is held against both.
func TestRulesInASourceChange_TheHeadReadBeforeIsHeldAgainstBoth(t *testing.T) {
	r, _ := opened(t, "rules:\n  - {groups: [everyone]}\n")
	var now contract.SourceRules
	r.InSources(func(document.Source, document.View) contract.SourceRules { return now })
	only := func(group string) contract.SourceRules {
		return contract.SourceRulesOf("rules:\n  - {groups: [" + group + "]}\n")
	}
	for _, c := range []struct {
		then, now contract.SourceRules
		sees      string // of a, b
	}{
		{contract.SourceRules{}, contract.SourceRules{}, "a b"},
		{only("a"), contract.SourceRules{}, "a"},
		{contract.SourceRules{}, only("b"), "b"},
		{only("a"), only("b"), ""},
		{only("a").And(only("everyone")), only("a"), "a"},
		{contract.SourceRules{}, contract.ClosedRules, ""},
		{contract.SourceRulesOf("rules: [{groups: [a"), contract.SourceRules{}, ""},
		{contract.SourceRulesOf("rules:\n  - {groups: [a], sources: [x]}\n"), contract.SourceRules{}, ""},
	} {
		now = c.now
		var sees []string
		for _, group := range []string{"a", "b"} {
			h := head("app", "code", "main.go", "")
			if h.Access = c.then; r.Sight(key(group)).Document(h) {
				sees = append(sees, group)
			}
		}
		if got := strings.Join(sees, " "); got != c.sees {
			t.Errorf("%q, then %q: seen by %q, want %q", c.then.Texts(), c.now.Texts(), got, c.sees)
		}
	}
}

func TestWrongRulesInASource_AreToldByLine(t *testing.T) {
	for text, says := range map[string]string{
		"rules:\n  - {groups: [a], sources: [x]}\n": ".freshetaccess:2: ",
		"rules:\n  - {paths: [x]}\n":                "names no group",
		"rules:\n  - {paths: [], groups: [a]}\n":    "names none of the paths",
		"owners: [a]\n":                             ".freshetaccess:1: ",
		"":                                          "cannot be used",
		"rules:\n  - {groups: [a]}\n\x00":           "cannot be used",
		strings.Repeat("#", 2*contract.MaxSourceRules+1): "at most 16384 bytes",
	} {
		err := access.CheckSource(contract.SourceRulesOf(text))
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: %v, want %q", text, err, says)
		}
	}
	if err := access.CheckSource(contract.SourceRulesOf("rules:\n  - {groups: [a]}\n")); err != nil {
		t.Error(err)
	}
}

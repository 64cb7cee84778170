package access_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const twoRules = `
members:
  payments: [ask]
rules:
  - groups: [docs]
    paths: [docs/, "**/*.md"]
  - groups: [payments]
    sources: [ledger]
  - groups: [everyone]
    sources: [handbook]
    collections: [docs]
`

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "access.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func opened(t *testing.T, text string) (*access.Rules, string) {
	t.Helper()
	file := written(t, text)
	r, err := access.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, file
}

func head(source document.Source, collection document.Collection, path document.Path, has document.PackedMetadata) *contract.FileHead {
	return &contract.FileHead{Source: source, View: document.Worktree, Collection: collection, Path: path, Metadata: has}
}

// key is somebody who asks with a key.
func key(groups ...string) contract.Principal {
	return contract.Principal{Name: contract.KeyPrefix + "k", Role: contract.RoleAsk, Groups: groups}
}

func TestDocumentUnderRules_IsSeenByWhomTheyShowItAlone(t *testing.T) {
	r, _ := opened(t, twoRules)
	for _, c := range []struct {
		who        contract.Principal
		source     document.Source
		collection document.Collection
		path       document.Path
		sees       bool
	}{
		{key("docs"), "app", "code", "docs/a.go", true},
		{key("docs"), "app", "code", "docs", true},
		{key("docs"), "app", "code", "docsy/a.go", false},
		{key("docs"), "app", "docs", "deep/in/README.md", true},
		{key("docs"), "app", "code", "main.go", false},
		{key("docs"), "ledger", "code", "main.go", false},
		{key("payments"), "ledger", "code", "main.go", true},
		{key("payments"), "app", "docs", "README.md", false},
		{key("docs", "payments"), "app", "docs", "README.md", true},
		{contract.OfUser("ask"), "ledger", "code", "main.go", true},
		{contract.OfUser("write"), "ledger", "code", "main.go", false},
		{key(), "handbook", "docs", "a.md", true},
		{key(), "handbook", "code", "a.go", false},
		{contract.Principal{}, "ledger", "code", "main.go", false},
		{contract.OfUser(string(contract.RoleAdmin)), "ledger", "code", "main.go", true},
	} {
		s := r.Sight(c.who)
		if got := s.Document(head(c.source, c.collection, c.path, "")); got != c.sees {
			t.Errorf("%+v sees %s of %s in %s: %t", c.who, c.path, c.collection, c.source, got)
		}
		if c.sees && !s.Path(c.source, c.path) {
			t.Errorf("%+v sees %s, of which the path is hidden", c.who, c.path)
		}
	}
	var none *access.Rules
	if s := none.Sight(key()); !s.Document(head("any", "code", "a.go", "")) {
		t.Error("without rules something is hidden")
	}
}

// Neither the size nor the time of the file has to tell that it is another one.
func TestRuleIsChanged_TheNextQuestionIsAnsweredByIt(t *testing.T) {
	r, file := opened(t, "rules:\n  - {groups: [a], sources: [one]}\n")
	old, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Sight(key("a")); !s.Document(head("one", "code", "x", "")) || s.Document(head("two", "code", "x", "")) {
		t.Fatal("the rule does not hold")
	}
	past := old.ModTime().Add(-time.Hour)
	for source, other := range map[document.Source]document.Source{"two": "one", "one": "two"} {
		if err := os.WriteFile(file, []byte("rules:\n  - {groups: [a], sources: ["+string(source)+"]}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, past, past); err != nil {
			t.Fatal(err)
		}
		if s := r.Sight(key("a")); !s.Document(head(source, "code", "x", "")) || s.Document(head(other, "code", "x", "")) {
			t.Errorf("the rule about %s does not hold", source)
		}
	}
}

func TestRulesCannotBeUsed_OnlyTheOwnerSeesAnything(t *testing.T) {
	r, file := opened(t, twoRules)
	admin := contract.OfUser(string(contract.RoleAdmin))
	spoil := map[string]func() error{
		"broken": func() error { return os.WriteFile(file, []byte("rules: [{groups: [docs"), 0o600) },
		"gone":   func() error { return os.Remove(file) },
	}
	for _, how := range []string{"broken", "gone"} {
		if err := spoil[how](); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first look, and one that finds it as it was
			if s := r.Sight(key("docs")); s.Document(head("app", "docs", "README.md", "")) {
				t.Errorf("%s: a key sees documents", how)
			}
			if s := r.Sight(admin); !s.Document(head("app", "docs", "README.md", "")) {
				t.Errorf("%s: the owner does not", how)
			}
		}
	}
	if err := os.WriteFile(file, []byte(twoRules), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := r.Sight(key("docs")); !s.Document(head("app", "docs", "README.md", "")) {
		t.Error("mended, and still nobody sees anything")
	}
}

func TestWrongRules_AreRefusedByName(t *testing.T) {
	for text, says := range map[string]string{
		"rules:\n  - {sources: [a]}\n":                             "names no group",
		"rules:\n  - {sources: [], groups: [a]}\n":                 "names none of the sources",
		"rules:\n  - {collections: [], groups: [a]}\n":             "names none of the collections",
		"rules:\n  - {groups: [a], sources: [\"a b\"]}\n":          "a b",
		"rules:\n  - {groups: [a], paths: [\"../x\"]}\n":           "path",
		"rules:\n  - {groups: [a], path: [x]}\n":                   "path",
		"members: [a]\n":                                           "",
		"rules:\n  - {groups: [a], sources: [a]}\n  - {groups: x}": "",
	} {
		r, err := access.Open(written(t, text), nil)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	if _, err := access.Open(filepath.Join(t.TempDir(), "none"), nil); document.KindOf(err) != document.NotFound {
		t.Errorf("no file: %v", err)
	}
}

// What a store is asked for has to hold everything that is seen.
func TestFoldersForAStore_HoldAllThatIsSeen(t *testing.T) {
	r, _ := opened(t, "rules:\n  - {groups: [a], sources: [one], paths: [x/, y/z.go]}\n  - {groups: [b], sources: [one]}\n  - {groups: [c], paths: [\"**/*.md\"]}\n")
	for group, want := range map[string]string{"a": "x y/z.go", "b": "", "c": ""} {
		if got := strings.Join(r.Sight(key(group)).Dirs([]document.Source{"one"}), " "); got != want {
			t.Errorf("%s: %q, want %q", group, got, want)
		}
	}
}

// A document can only narrow by its roles what rules show.
func TestDocumentNamesRoles_OnlyTheirGroupsSeeItWhereARuleLetsThem(t *testing.T) {
	r, _ := opened(t, twoRules)
	roles := document.Metadata{document.MetadataRoles: {"docs", "lead"}, "team": {"x"}}.Packed()
	for _, c := range []struct {
		who  contract.Principal
		path document.Path
		sees bool
	}{
		{key("docs"), "docs/a.go", true},
		{key("docs"), "main.go", false}, // no rule shows it
		{key("lead"), "docs/a.go", false},
		{key("lead", "docs"), "docs/a.go", true},
		{key(), "docs/a.go", false},
		{contract.OfUser(string(contract.RoleAdmin)), "main.go", true},
	} {
		if got := r.Sight(c.who).Document(head("app", "code", c.path, roles)); got != c.sees {
			t.Errorf("%+v sees %s: %t", c.who, c.path, got)
		}
	}
	if s := r.Sight(key()); s.Document(head("handbook", "docs", "a.md", roles)) || !s.Document(head("handbook", "docs", "a.md", "team=roles")) ||
		!s.Document(head("handbook", "docs", "a.md", document.Metadata{document.MetadataRoles: {contract.Everyone}}.Packed())) {
		t.Error("what everyone sees is not narrowed by its roles")
	}
}

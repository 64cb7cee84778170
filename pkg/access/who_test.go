package access_test

import (
	"reflect"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestWhoSeesADocument_IsToldByTheRulesThatShowIt(t *testing.T) {
	r, _ := opened(t, `
rules:
  - {groups: [docs], paths: [docs/, "**/*.md"]}
  - {groups: [lead, docs], sources: [ledger]}
  - {groups: [everyone], sources: [handbook], collections: [docs]}
`)
	r.InSources(func(s document.Source, _ document.View) contract.SourceRules {
		if s == "ledger" {
			return contract.SourceRulesOf("rules: [{groups: [lead]}]")
		}
		return contract.SourceRules{}
	})
	roles := document.Metadata{document.MetadataRoles: {"hr", "docs"}}.Packed()
	sight := func(group, hidden string, rules ...int) contract.GroupSight {
		return contract.GroupSight{View: document.Worktree, Group: group, Sees: hidden == "", Rules: rules, Hidden: hidden}
	}
	for name, c := range map[string]struct {
		h    *contract.FileHead
		want []contract.GroupSight
	}{
		"by several rules":             {head("ledger", document.CollectionCode, "docs/a.go", ""), []contract.GroupSight{sight("docs", "source", 0, 1), sight("lead", "", 1)}},
		"whoever asks":                 {head("handbook", document.CollectionDocs, "a.txt", ""), []contract.GroupSight{sight("everyone", "", 2)}},
		"everybody, and some by name":  {head("handbook", document.CollectionDocs, "docs/a.md", ""), []contract.GroupSight{sight("everyone", "", 2)}},
		"another collection":           {head("handbook", document.CollectionCode, "a.go", ""), nil},
		"it names roles":               {head("handbook", document.CollectionDocs, "a.md", roles), []contract.GroupSight{sight("docs", "", 0), sight("everyone", "roles", 2), sight("hr", "", 2)}},
		"rules that stand in a source": {head("ledger", document.CollectionDocs, document.AccessFile, ""), nil},
	} {
		if got := r.Who(c.h); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

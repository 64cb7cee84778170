package contract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestEverySubject_HasOneRole(t *testing.T) {
	var all []string
	for _, e := range slices.Concat(contract.Endpoints, contract.Feeds) {
		all = append(all, e.Subject)
		if !slices.Contains(contract.Roles, e.Role) {
			t.Errorf("%s has the role %q", e.Subject, e.Role)
		}
	}
	slices.Sort(all)
	if n := len(all); len(slices.Compact(all)) != n {
		t.Errorf("a subject is there twice: %v", all)
	}
	for _, less := range contract.Roles {
		if !contract.RoleAdmin.Includes(less) || less.Includes(contract.RoleAdmin) != (less == contract.RoleAdmin) {
			t.Errorf("admin does not include %s, or %s includes admin", less, less)
		}
	}
	if contract.RoleAnnounce.Includes(contract.RoleAsk) || contract.RoleAsk.Includes(contract.RoleAnnounce) {
		t.Error("a hook may ask, or who asks may announce")
	}
}

// One service answers each request that may be sent, but for those that only the
// process with the embedded server answers.
func TestEveryRequest_IsAnsweredByOneService(t *testing.T) {
	for _, e := range contract.Endpoints {
		n, want := 0, 1
		for _, r := range contract.ServiceRights {
			if slices.Contains(r.Answers, e.Subject) {
				n++
			}
		}
		if e.Subject == contract.SubjectEraseLog || e.Subject == contract.SubjectReload || strings.HasPrefix(e.Subject, "$SRV") {
			want = 0
		}
		if n != want {
			t.Errorf("%d services may answer %s, want %d: see Answers in rights.go", n, e.Subject, want)
		}
	}
}

// The page names each subject in the row of its role, and no other.
func TestPageOfRights_GivesSubjectsAsTheTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/services.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range contract.Roles {
		var want []string
		for _, e := range slices.Concat(contract.Endpoints, contract.Feeds) {
			if e.Role == role {
				want = append(want, e.Subject)
			}
		}
		_, row, found := strings.Cut(string(text), "\n| `"+string(role)+"` |")
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(row, "|")
		if !found || len(cells) < 2 {
			t.Errorf("%s has no row", role)
			continue
		}
		var got []string
		for i, word := range strings.Split(cells[1], "`") {
			if i%2 == 1 {
				got = append(got, word)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v in docs/reference/services.md, and %v in access.go", role, got, want)
		}
	}
}

func TestPageOfMessages_NamesEveryRequest(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range contract.Endpoints {
		if !strings.HasPrefix(e.Subject, "$") && !strings.Contains(string(text), "\n| `"+e.Subject+"` |") {
			t.Errorf("docs/reference/messages.md has no row for %s", e.Subject)
		}
	}
}

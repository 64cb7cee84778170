package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// asked lists who asked what, as the owner, and how each entry reads.
func (g *guarded) asked() (all []contract.AuditListed, lines []string) {
	g.t.Helper()
	reply, err := client.ListAudit.Ask(g.t.Context(), g.login("admin"), contract.AuditListRequest{})
	if err != nil || reply.Next != 0 {
		g.t.Fatalf("%+v, %v", reply, err)
	}
	for _, e := range reply.Entries {
		line := []string{e.Who, strings.TrimPrefix(e.Subject, "freshet."), e.Question, string(e.Refused)}
		for _, d := range e.Documents {
			line = append(line, string(d.Source)+":"+string(d.Path))
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return reply.Entries, lines
}

func TestEveryQuestion_IsToldByAnEntry(t *testing.T) {
	g := &guarded{site: start(t, func(c *config.Config) { c.Access.Audit = time.Hour })}
	token := g.key(contract.KeyAdd{Name: "laptop", Role: contract.RoleAsk})
	g.given("a.md", "The stork nests on a chimney.", "b.md", "The stork is white.")
	ask := func(path, body string) {
		t.Helper()
		g.do(g.request(http.MethodPost, path, body, "Authorization", "Bearer "+token))
	}
	ask("/api/v1/search", `{"query":"stork chimney","filter":{"paths":["a.md"]},"token":"latest"}`)
	ask("/api/v1/grep", `{"pattern":"stork","filter":{"sources":["notes"]}}`)
	ask("/api/v1/read", `{"source":"notes","path":"b.md"}`)
	ask("/api/v1/read", `{"source":"notes","path":"c.md"}`)
	ask("/api/v1/outline", `{"source":"notes","path":"a.md"}`)
	ask("/api/v1/context", `{"query":"where does the stork nest","filter":{"paths":["a.md"]}}`)
	ask("/api/v1/files", `{"filter":{"sources":["notes"]}}`)
	ask("/api/v1/explain", `{"source":"notes","path":"a.md"}`)
	_, got := g.asked()
	if want := []string{
		"key:laptop query.search stork chimney  notes:a.md",
		"key:laptop query.grep stork  notes:a.md notes:b.md",
		"key:laptop query.read   notes:b.md",
		"key:laptop query.read  not_found",
		"key:laptop query.outline   notes:a.md",
		"key:laptop query.context where does the stork nest  notes:a.md",
		"key:laptop query.files   notes:a.md notes:b.md",
		"key:laptop query.explain   notes:a.md",
	}; !slices.Equal(got, want) {
		t.Errorf("kept is\n%s", strings.Join(got, "\n"))
	}
	if a := g.do(g.request(http.MethodPost, "/api/v1/audit/list", `{}`, "Authorization", "Bearer "+token)); a.code != http.StatusForbidden {
		t.Errorf("a key that asks lists who asked: %d %s", a.code, a.body)
	}

	// What is removed is gone: the path with the document, the entry with the source.
	owner := g.login("admin")
	ask("/api/v1/search", `{"query":"heron","filter":{"sources":["birds"]}}`)
	if _, err := client.Delete.Ask(t.Context(), owner, contract.DeleteRequest{Source: "notes", Documents: []contract.DeleteDocument{{Path: "b.md"}}}); err != nil {
		t.Fatal(err)
	}
	if _, got = g.asked(); slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, "b.md") }) {
		t.Errorf("the path of a document that is gone is told: %s", strings.Join(got, "\n"))
	}
	removed, err := client.RemoveSource.Ask(t.Context(), owner, contract.SourceRemove{Source: "notes"})
	if err != nil || removed.Receipt == nil || removed.Receipt.Audit != 7 {
		t.Errorf("%+v, %v", removed.Receipt, err)
	}
	all, got := g.asked()
	if want := []string{"key:laptop query.read  not_found", "key:laptop query.search heron  birds:heron.go birds:ibis.md"}; !slices.Equal(got, want) {
		t.Errorf("left is\n%s", strings.Join(got, "\n"))
	}
	page, err := client.ListAudit.Ask(t.Context(), owner, contract.AuditListRequest{Limit: 1, After: all[0].Seq, Who: "key:laptop"})
	if err != nil || len(page.Entries) != 1 || page.Entries[0].Seq != all[1].Seq {
		t.Errorf("%+v, %v", page, err)
	}
	if none, err := client.ListAudit.Ask(t.Context(), owner, contract.AuditListRequest{Who: "key:other"}); err != nil || len(none.Entries) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
}

// The table that names documents learns of a deletion a moment after the log has it, so
// one deletion may find it in time: of many none must.
func TestDocumentsAreDeleted_TheirPathsAreToldNoMore(t *testing.T) {
	g := &guarded{site: start(t, func(c *config.Config) { c.Access.Audit = time.Hour })}
	token := g.key(contract.KeyAdd{Name: "laptop", Role: contract.RoleAsk})
	var paths, documents []string
	for i := range 40 {
		paths = append(paths, fmt.Sprintf("%02d.md", i))
		documents = append(documents, paths[i], "The crane dances.")
	}
	g.given(documents...)
	g.do(g.request(http.MethodPost, "/api/v1/grep", `{"pattern":"crane","filter":{"sources":["notes"]}}`, "Authorization", "Bearer "+token))
	if _, got := g.asked(); len(got) != 1 || strings.Count(got[0], ".md") != len(paths) {
		t.Fatalf("kept is\n%s", strings.Join(got, "\n"))
	}
	owner := g.login("admin")
	for _, path := range paths {
		if _, err := client.Delete.Ask(t.Context(), owner, contract.DeleteRequest{Source: "notes", Documents: []contract.DeleteDocument{{Path: document.Path(path)}}}); err != nil {
			t.Fatal(err)
		}
		if _, got := g.asked(); strings.Contains(strings.Join(got, "\n"), path) {
			t.Errorf("the path of %s is told, which is gone", path)
		}
	}
}

func TestAuditIsNotSwitchedOn_NobodyIsKept(t *testing.T) {
	g := &guarded{site: start(t, nil)}
	g.as(contract.RoleAsk, http.MethodPost, "/api/v1/search", `{"query":"heron"}`)
	_, err := client.ListAudit.Ask(t.Context(), g.login("admin"), contract.AuditListRequest{})
	if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), "access.audit") {
		t.Error(err)
	}
}

package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// follow returns the data of events as they come.
func (g *guarded) follow(path, token string) func() []byte {
	g.t.Helper()
	resp, err := http.DefaultClient.Do(g.request(http.MethodGet, path, "", "Authorization", "Bearer "+token))
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		g.t.Fatalf("%s: %d", path, resp.StatusCode)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return func() []byte {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return []byte(data)
			}
		}
		g.t.Fatalf("%s ended: %v", path, lines.Err())
		return nil
	}
}

// given has the owner put documents into the source notes.
func (g *guarded) given(texts ...string) {
	g.t.Helper()
	owner := g.login("admin")
	if _, err := client.AddSource.Ask(g.t.Context(), owner, contract.SourceAdd{Kind: contract.SourceAPI, Source: "notes"}); err != nil {
		g.t.Fatal(err)
	}
	put := contract.PutRequest{Source: "notes"}
	for i := 0; i < len(texts); i += 2 {
		put.Documents = append(put.Documents, contract.PutDocument{Path: document.Path(texts[i]), Text: &texts[i+1]})
	}
	reply, err := client.Put.Ask(g.t.Context(), owner, put)
	if err != nil || slices.ContainsFunc(reply.Documents, func(d contract.WrittenDocument) bool { return d.Error != nil }) {
		g.t.Fatalf("%+v, %v", reply, err)
	}
}

// Two keep the same question; the key of one of them is in the group that sees the
// folder open. What it may see is decided when it is told.
func TestKeptQuestion_TellsOnlyWhatItsOwnerMaySee(t *testing.T) {
	g := one(t)
	token := g.key(contract.KeyAdd{Name: "laptop", Groups: []string{"docs"}})
	other := g.key(contract.KeyAdd{Name: "other", Groups: []string{"docs"}})
	keep := func(token string) (w contract.Watched) {
		t.Helper()
		a := g.do(g.request(http.MethodPost, "/api/v1/watches", `{"question":{"query":"where does the spoonbill nest","min_relevance":0.001}}`, "Authorization", "Bearer "+token))
		if err := json.Unmarshal(a.body, &w); err != nil || w.ID == "" {
			t.Fatalf("%s: %v", a.body, err)
		}
		return w
	}
	own, whole := keep(token), keep(g.secret.Password("admin"))
	mine, all := g.follow("/api/v1/events/standing", token), g.follow("/api/v1/events/standing", g.secret.Password("admin"))
	heard := map[string]bool{}
	hear := func(next func() []byte) contract.StandingHit {
		t.Helper()
		var h contract.StandingHit
		if err := json.Unmarshal(next(), &h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	// awaitAll hears as the owner that both questions were held against a document.
	awaitAll := func(keys ...string) {
		t.Helper()
		for slices.ContainsFunc(keys, func(k string) bool { return !heard[k] }) {
			h := hear(all)
			heard[h.ID+" "+string(h.Hit.Path)] = true
		}
	}
	g.given("shut/1.md", "The spoonbill nests in a willow, and nobody knows.")
	awaitAll(whole.ID + " shut/1.md")
	g.given("open/1.md", "The spoonbill nests in the reeds.")
	if h := hear(mine); h.ID != own.ID || h.Hit.Path != "open/1.md" || h.Hit.Score != 0 {
		t.Fatalf("told %+v", h)
	}
	awaitAll(whole.ID+" open/1.md", own.ID+" open/1.md")
	if heard[own.ID+" shut/1.md"] {
		t.Error("the question of a key is told what the key may not see")
	}
	g.rules = []visible{{folders: []string{"shut"}, groups: []string{"docs"}}}
	g.write()
	g.given("open/2.md", "The spoonbill nests in the reeds no more.")
	awaitAll(whole.ID + " open/2.md")
	g.given("shut/2.md", "The spoonbill nests in a willow again.")
	if h := hear(mine); h.Hit.Path != "shut/2.md" {
		t.Fatalf("after the rule was changed it is told %+v", h)
	}

	// Nobody else who sees only a part knows of it.
	for _, q := range [][2]string{{http.MethodGet, "/api/v1/watches"}, {http.MethodDelete, "/api/v1/watches/" + own.ID}, {http.MethodDelete, "/api/v1/watches/" + whole.ID}} {
		if a := g.do(g.request(q[0], q[1], "", "Authorization", "Bearer "+other)); strings.Contains(string(a.body), "spoonbill") || q[0] == http.MethodDelete && a.code != http.StatusNotFound {
			t.Errorf("%s: %d %s", q, a.code, a.body)
		}
	}
	list := g.do(g.request(http.MethodGet, "/api/v1/watches", "", "Authorization", "Bearer "+token))
	if !strings.Contains(string(list.body), own.ID) || strings.Contains(string(list.body), whole.ID) {
		t.Errorf("it knows of %s", list.body)
	}
	// A key that was taken away is told nothing.
	if _, err := client.RevokeKey.Ask(t.Context(), g.login("admin"), contract.KeyRevoke{Name: "laptop"}); err != nil {
		t.Fatal(err)
	}
	g.given("shut/3.md", "The spoonbill nests in an alder.")
	awaitAll(whole.ID + " shut/3.md")
	g.given("shut/4.md", "The spoonbill nests in an oak.")
	awaitAll(whole.ID + " shut/4.md")
	if heard[own.ID+" shut/3.md"] {
		t.Error("the question of a key that was taken away is told on")
	}
}

// Rules that stand in a source hold for news, too, and are told nobody themselves.
func TestRulesStandInASource_NewsKeepToThem(t *testing.T) {
	g := one(t)
	token := g.key(contract.KeyAdd{Name: "laptop", Groups: []string{"docs"}})
	changes, told := g.follow("/api/v1/events/changes", token), g.follow("/api/v1/events/standing", token)
	a := g.do(g.request(http.MethodPost, "/api/v1/watches", `{"question":{"query":"where does the spoonbill nest","min_relevance":0.001}}`, "Authorization", "Bearer "+token))
	if a.code != http.StatusOK {
		t.Fatalf("%d %s", a.code, a.body)
	}
	hear := func(path document.Path) {
		t.Helper()
		var c contract.Change
		if data := changes(); json.Unmarshal(data, &c) != nil || c.Path != path || c.Access != nil {
			t.Fatalf("told %s, not of %s alone", data, path)
		}
	}
	g.given(string(document.AccessFile), "rules:\n  - {groups: [docs], paths: [open/deep/]}\n")
	g.given("open/1.md", "The spoonbill nests in a willow, and nobody knows.", "open/deep/2.md", "The spoonbill nests in the reeds.")
	hear("open/deep/2.md")
	var h contract.StandingHit
	if err := json.Unmarshal(told(), &h); err != nil || h.Hit.Path != "open/deep/2.md" {
		t.Fatalf("told %+v: %v", h, err)
	}
	g.given(string(document.AccessFile), "rules:\n  - {groups: [docs], paths: [open/1.md, open/3.md]}\n")
	g.given("open/deep/2.md", "The spoonbill nests in the reeds no more.", "open/3.md", "The spoonbill nests in an oak.")
	hear("open/3.md")
	if err := json.Unmarshal(told(), &h); err != nil || h.Hit.Path != "open/3.md" {
		t.Fatalf("told %+v: %v", h, err)
	}
}

func TestUser_HearsTheOwnKeptQuestion(t *testing.T) {
	g := one(t)
	g.rules = []visible{{folders: []string{"open"}, groups: []string{"askers"}}}
	g.write()
	nc := g.login("ask")
	own, err := nc.SubscribeSync(contract.OwnStanding("ask", "*"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := client.AddWatch.Ask(t.Context(), nc, contract.WatchAdd{Question: &contract.StandingQuestion{Query: "where does the spoonbill nest", MinRelevance: .001}})
	if err != nil {
		t.Fatal(err)
	}
	g.given("shut/1.md", "The spoonbill nests in a willow, and nobody knows.", "open/1.md", "The spoonbill nests in the reeds.")
	m, err := own.NextMsgWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var h contract.StandingHit
	if err := json.Unmarshal(m.Data, &h); err != nil || h.ID != kept.ID || h.Hit.Path != "open/1.md" {
		t.Errorf("%s: %v", m.Data, err)
	}
}

// A key that writes does so where it sees, and nowhere else: neither over what is there,
// nor beside it.
func TestKey_WritesOnlyWhereItSees(t *testing.T) {
	g := one(t)
	g.given("open/old.md", "An old ibis.", "shut/old.md", "An old stork.")
	token := g.key(contract.KeyAdd{Name: "writer", Role: contract.RoleWrite, Groups: []string{"docs"}})
	ask := func(path, body string) (reply contract.WriteReply) {
		t.Helper()
		a := g.do(g.request(http.MethodPost, path, body, "Authorization", "Bearer "+token))
		if err := json.Unmarshal(a.body, &reply); err != nil || a.code != http.StatusOK {
			t.Fatalf("%d %s", a.code, a.body)
		}
		return reply
	}
	put := ask("/api/v1/documents", `{"source":"notes","documents":[{"path":"open/old.md","text":"A young ibis."},{"path":"shut/old.md","text":"x"},{"path":"shut/new.md","text":"x"}]}`)
	if d := put.Documents; len(d) != 3 || d[0].Error != nil || d[0].Version == 0 {
		t.Errorf("%+v", d)
	} else if d[1].Error.Kind != document.Forbidden || d[2].Error.Kind != document.Forbidden || d[1].Error.Message != strings.ReplaceAll(d[2].Error.Message, "new", "old") {
		t.Errorf("%v, %v", d[1].Error, d[2].Error)
	}
	gone := ask("/api/v1/documents/delete", `{"source":"notes","documents":[{"path":"open/old.md"},{"path":"shut/old.md"}]}`)
	if d := gone.Documents; len(d) != 2 || d[0].Error != nil || d[1].Error == nil {
		t.Errorf("%+v", d)
	}
	grep, err := client.Grep.Ask(t.Context(), g.login("admin"), contract.GrepRequest{Pattern: "old stork|young ibis|^x$"})
	if err != nil || grep.Matched != 1 {
		t.Errorf("%+v, %v", grep, err)
	}
	for _, source := range []string{"birds", "none"} { // the folders of one it sees, the other is not there
		a := g.do(g.request(http.MethodPost, "/api/v1/documents", `{"source":"`+source+`","documents":[{"path":"shut/b.md","text":"x"}]}`, "Authorization", "Bearer "+token))
		if a.code != http.StatusNotFound {
			t.Errorf("%s: %d %s", source, a.code, a.body)
		}
	}
}

func TestStatusEvents_TellNothingHidden(t *testing.T) {
	g := one(t)
	token := g.key(contract.KeyAdd{Name: "laptop", Groups: []string{"docs"}})
	next := g.follow("/api/v1/events/status", token)
	for want, texts := range [][]string{nil, {"shut/1.md", "A stork."}, {"open/1.md", "An ibis."}} {
		if texts != nil {
			g.given(texts...)
		}
		for {
			var status contract.StatusReply
			if err := json.Unmarshal(next(), &status); err != nil {
				t.Fatal(err)
			}
			if status.Documents > 2 || len(status.Reports)+len(status.Streams) > 0 || want < 2 && slices.ContainsFunc(status.Sources, func(s contract.SourceInfo) bool { return s.Source != "birds" }) {
				t.Fatalf("told %+v", status)
			}
			if documents := []int{1, 1, 2}[want]; status.Documents == documents && (want < 2 || status.Ready) {
				break
			}
		}
	}
}

func TestMetricsCountWhatIsHidden_RestrictedKeyIsRefused(t *testing.T) {
	g := one(t)
	key := g.key(contract.KeyAdd{Name: "scraper", Groups: []string{"none"}})
	if a := g.do(g.request(http.MethodGet, "/metrics", "", "Authorization", "Bearer "+key)); a.code != http.StatusForbidden || a.failure(t).Error.Kind != document.Forbidden {
		t.Errorf("a key that sees a part is told %d: %s", a.code, a.body)
	}
	if a := g.as(contract.RoleAdmin, http.MethodGet, "/metrics", ""); a.code != http.StatusOK {
		t.Errorf("the owner is told %d", a.code)
	}
}

// A folder is emptied before it is shown, so that nobody learns what was in it: of what
// is gone nothing is told but to the owner, not even that it was there.
func TestFolderIsEmptiedAndThenShown_NothingOfItIsTold(t *testing.T) {
	g := one(t)
	token := g.key(contract.KeyAdd{Name: "laptop", Groups: []string{"docs"}})
	g.given("shut/layoffs.md", "The stork leaves in March.", "shut/kept.md", "The stork stays.", "open/a.md", "An ibis.")
	owner := g.login("admin")
	if _, err := client.Delete.Ask(t.Context(), owner, contract.DeleteRequest{Source: "notes", Documents: []contract.DeleteDocument{{Path: "shut/layoffs.md"}}}); err != nil {
		t.Fatal(err)
	}
	if x, err := client.ExplainQuery.Ask(t.Context(), owner, contract.ExplainQuery{Source: "notes", Path: "shut/layoffs.md"}); err != nil || len(x.Versions) != 1 || x.Versions[0].Op != contract.OpDelete {
		t.Errorf("the owner is told %+v, %v", x, err)
	}
	g.rules = []visible{{folders: []string{"shut", "open"}, groups: []string{"docs"}}}
	g.write()
	ask := func(path, body string) string {
		t.Helper()
		return string(g.do(g.request(http.MethodPost, path, body, "Authorization", "Bearer "+token)).body)
	}
	if got := ask("/api/v1/read", `{"source":"notes","path":"shut/kept.md"}`); !strings.Contains(got, "stork stays") {
		t.Fatalf("the folder is not shown: %s", got)
	}
	for _, path := range []string{"/api/v1/explain", "/api/v1/read", "/api/v1/outline"} {
		gone := ask(path, `{"source":"notes","path":"shut/layoffs.md"}`)
		never := ask(path, `{"source":"notes","path":"shut/layouts.md"}`)
		blank := func(text, name string) string {
			return regexp.MustCompile(`"(token|took_ms)":[^,}]*`).ReplaceAllString(strings.ReplaceAll(text, name, "NAME"), "")
		}
		if blank(gone, "layoffs") != blank(never, "layouts") {
			t.Errorf("%s of what is gone\n%s\nand of what never was\n%s", path, gone, never)
		}
	}
	for path, body := range map[string]string{
		"/api/v1/explain": `{"source":"notes","path":"shut"}`, "/api/v1/files": `{"filter":{"sources":["notes"]}}`, "/api/v1/search": `{"query":"layoffs stork","token":"latest"}`,
	} {
		if got := ask(path, body); strings.Contains(got, "layoffs.md") || strings.Contains(got, `"deleted"`) {
			t.Errorf("%s tells of it: %s", path, got)
		}
	}
}

// Whom a document is for changes with each version: whoever reads it meanwhile is given
// the versions that are for them, and nothing of those between.
func TestDocumentIsForOthersEverySecondTime_TheirVersionsAreNotRead(t *testing.T) {
	g := one(t)
	g.rules = []visible{{groups: []string{"askers"}}}
	g.write()
	g.given("plan.md", "Seen at first.", "other.md", "Seen always.")
	owner, reader := g.login("admin"), g.login("ask")
	done := make(chan error, 1)
	go func() {
		for i := range 300 {
			text, roles := fmt.Sprintf("Seen the time %d.", i), []string{"askers"}
			if i%2 == 0 {
				text, roles = fmt.Sprintf("Hidden the time %d.", i), []string{"red"}
			}
			put := contract.PutDocument{Path: "plan.md", Text: &text, Metadata: document.Metadata{document.MetadataRoles: roles}}
			if _, err := client.Put.Ask(t.Context(), owner, contract.PutRequest{Source: "notes", Documents: []contract.PutDocument{put}}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	read := 0
	for {
		reply, err := client.Read.Ask(t.Context(), reader, contract.ReadRequest{Source: "notes", Path: "plan.md"})
		if err == nil && strings.Contains(reply.Text, "Hidden") {
			t.Fatalf("%d times read, and then %q", read, reply.Text)
		}
		if err == nil {
			read++
		} else if kind := document.KindOf(err); kind != document.NotFound && kind != document.Unavailable && kind != document.Deadline {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			if err != nil || read == 0 {
				t.Fatalf("%d times read: %v", read, err)
			}
			return
		default:
		}
	}
}

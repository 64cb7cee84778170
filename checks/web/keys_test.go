package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/issuertest"
)

// one is a freshet with one rule: the group docs sees the folder open.
func one(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{file: filepath.Join(t.TempDir(), "access.yaml"), by: issuertest.New(t, time.Now()), rules: []visible{{folders: []string{"open"}, groups: []string{"docs"}}}}
	root := t.TempDir()
	for _, k := range []kept{{folder: "open", name: "a.md", word: "ibis", symbol: "REED"}, {folder: "shut", name: "b.md", word: "stork", symbol: "NEST"}} {
		k.source = "birds"
		at := filepath.Join(root, k.path())
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(k.text()), 0o644); err != nil {
			t.Fatal(err)
		}
		g.docs = append(g.docs, k)
	}
	g.site = &site{t: t}
	g.write()
	g.site = start(t, func(c *config.Config) {
		c.Sources, c.Access.File = []config.Source{{Root: root, Name: "birds"}}, g.file
		c.Gateway.OIDC = g.by.Config()
		c.Gateway.OIDC.Admins = []string{"ops"}
	})
	return g
}

const asksHeron = `{"query":"heron","text":"full"}`

func TestKeyThatWasTakenAway_IsRefused(t *testing.T) {
	g := one(t)
	search := func(token string) answer {
		return g.do(g.request(http.MethodPost, "/api/v1/search", asksHeron, "Authorization", "Bearer "+token))
	}
	token := g.key(contract.KeyAdd{Name: "laptop", Groups: []string{"docs"}})
	if a := search(token); a.code != http.StatusOK || !bytes.Contains(a.body, []byte("ibis")) || bytes.Contains(a.body, []byte("stork")) {
		t.Errorf("%d: %s", a.code, a.body)
	}
	for _, wrong := range []string{token + "x", token[:len(token)-1], "fk_laptop_", "fk_other_" + token[len("fk_laptop_"):], "fk_._x", "fk_*_x"} {
		if a := search(wrong); a.code != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", wrong, a.code, a.body)
		}
	}
	owner := g.login("admin")
	if _, err := client.AddKey.Ask(t.Context(), owner, contract.KeyAdd{Name: "laptop"}); document.KindOf(err) != document.Conflict {
		t.Errorf("a second key of the name: %v", err)
	}
	list, err := client.ListKeys.Ask(t.Context(), owner, client.None)
	if err != nil || len(list.Keys) != 1 || list.Keys[0].Name != "laptop" || list.Keys[0].Expired {
		t.Errorf("%+v, %v", list, err)
	}
	if a := g.do(g.request(http.MethodGet, "/api/v1/keys", "", "Authorization", "Bearer "+token)); a.code != http.StatusForbidden {
		t.Errorf("a key lists the keys: %d %s", a.code, a.body)
	}
	if a := g.do(g.request(http.MethodPost, "/api/v1/links", `{"role":"ask"}`, "Authorization", "Bearer "+token)); a.code != http.StatusForbidden {
		t.Errorf("a key opens a page: %d %s", a.code, a.body)
	}
	if _, err := client.RevokeKey.Ask(t.Context(), owner, contract.KeyRevoke{Name: "laptop"}); err != nil {
		t.Fatal(err)
	}
	if a := search(token); a.code != http.StatusUnauthorized {
		t.Errorf("revoked: %d %s", a.code, a.body)
	}
	if _, err := client.RevokeKey.Ask(t.Context(), owner, contract.KeyRevoke{Name: "laptop"}); document.KindOf(err) != document.NotFound {
		t.Errorf("revoked again: %v", err)
	}
	if again := g.key(contract.KeyAdd{Name: "laptop"}); again == token || search(token).code != http.StatusUnauthorized {
		t.Error("the old key is good again")
	}
}

// Whoever is not the gateway says for whom it asks, on an inbox of its own and on the
// gateway's.
func TestSomebodyAsksInTheNameOfTheOwner_IsRefused(t *testing.T) {
	g := one(t)
	nc := g.login("ask")
	owner := `{"name":"user:admin","role":"admin"}`
	inbox := nc.NewInbox()
	own, err := nc.SubscribeSync(inbox)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(reply string) {
		t.Helper()
		if err := nc.PublishMsg(&nats.Msg{Subject: contract.SubjectSearch, Reply: reply, Data: []byte(asksHeron), Header: nats.Header{contract.PrincipalHeader: {owner}}}); err != nil {
			t.Fatal(err)
		}
	}
	ask(inbox)
	m, err := own.NextMsg(time.Minute)
	if err != nil || m.Header.Get("Nats-Service-Error-Code") != string(document.Forbidden) || bytes.Contains(m.Data, []byte("stork")) {
		t.Errorf("%v %s: %v", m.Header, m.Data, err)
	}
	// What is answered to the services' inbox, nobody else hears.
	for _, reply := range []string{contract.InboxOf("services") + ".forged", contract.InboxOf("admin") + ".forged"} {
		heard, err := nc.SubscribeSync(reply)
		if err != nil {
			t.Fatal(err)
		}
		ask(reply)
		if _, err := nc.Request(contract.SubjectSearch, []byte(asksHeron), time.Minute); err != nil { // after it
			t.Fatal(err)
		}
		if n, _, _ := heard.Pending(); n > 0 {
			t.Errorf("an answer on %s is heard", reply)
		}
	}
	for _, feed := range []string{contract.AllChanges, contract.AllStanding} {
		_, err := nc.SubscribeSync(feed)
		if err == nil {
			err = nc.Flush() // what is refused is told before the answer to it
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := nc.LastError(); err == nil || !strings.Contains(err.Error(), `"`+feed+`"`) {
			t.Errorf("%s is heard: %v", feed, err)
		}
	}
}

func TestChangedRule_HoldsAtOnce(t *testing.T) {
	g := one(t)
	token := g.key(contract.KeyAdd{Name: "laptop", Groups: []string{"docs"}})
	finds := func() string {
		return string(g.do(g.request(http.MethodPost, "/api/v1/search", `{"query":"heron","text":"full","lease":"new"}`, "Authorization", "Bearer "+token)).body)
	}
	var first contract.SearchReply
	if err := json.Unmarshal([]byte(finds()), &first); err != nil || first.Lease == nil || first.Lease.Holds == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	g.rules = []visible{{folders: []string{"shut"}, groups: []string{"docs"}}}
	g.write()
	if told := finds(); !strings.Contains(told, "stork") || strings.Contains(told, "ibis") {
		t.Errorf("the rule that was changed does not hold: %s", told)
	}
	// What may not be seen any more is gone.
	lease := g.do(g.request(http.MethodPost, "/api/v1/lease", `{"lease":"`+first.Lease.Lease+`"}`, "Authorization", "Bearer "+token))
	var news contract.LeaseNews
	if err := json.Unmarshal(lease.body, &news); err != nil || len(news.Changes) != first.Lease.Holds || news.Changes[0].What != contract.LeaseGone {
		t.Errorf("%s: %v", lease.body, err)
	}
	other := g.key(contract.KeyAdd{Name: "other", Groups: []string{"docs"}})
	if a := g.do(g.request(http.MethodPost, "/api/v1/lease", `{"lease":"`+first.Lease.Lease+`"}`, "Authorization", "Bearer "+other)); a.code != http.StatusNotFound {
		t.Errorf("somebody else's lease: %d %s", a.code, a.body)
	}
	if err := os.WriteFile(g.file, []byte("rules: nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if told := finds(); strings.Contains(told, "stork") || strings.Contains(told, "ibis") {
		t.Errorf("with rules that cannot be read something is seen: %s", told)
	}
}

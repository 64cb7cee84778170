package web

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/issuertest"
)

// Somebody has a token of the company's login service, and no key.
func TestTokenOfAnIssuer_ShowsWhatItsGroupsSeeUntilItEnds(t *testing.T) {
	g := one(t)
	ask := func(method, path, body, token string) answer {
		t.Helper()
		return g.do(g.request(method, path, body, "Authorization", "Bearer "+token))
	}
	search := func(token string) answer { return ask(http.MethodPost, "/api/v1/search", asksHeron, token) }
	member, stranger, owner := g.issued("docs"), g.issued(), g.issued("ops")
	for _, c := range []struct {
		who, token        string
		code              int
		sees, doesNotSee  string
		keys, link, watch int
	}{
		{"a member", member, http.StatusOK, "ibis", "stork", http.StatusForbidden, http.StatusForbidden, http.StatusForbidden},
		{"in no group", stranger, http.StatusOK, `"hits":[]`, "stork", http.StatusForbidden, http.StatusForbidden, http.StatusForbidden},
		{"an administrator", owner, http.StatusOK, "stork", "\x00", http.StatusOK, http.StatusForbidden, http.StatusForbidden},
	} {
		if a := search(c.token); a.code != c.code || !bytes.Contains(a.body, []byte(c.sees)) || bytes.Contains(a.body, []byte(c.doesNotSee)) {
			t.Errorf("%s: %d %s", c.who, a.code, a.body)
		}
		if a := ask(http.MethodGet, "/api/v1/keys", "", c.token); a.code != c.keys {
			t.Errorf("%s lists the keys: %d %s", c.who, a.code, a.body)
		}
		if a := ask(http.MethodPost, "/api/v1/links", `{"role":"ask"}`, c.token); a.code != c.link {
			t.Errorf("%s opens a page: %d %s", c.who, a.code, a.body)
		}
		if a := ask(http.MethodPost, "/api/v1/watches", `{"question":{"query":"heron"}}`, c.token); a.code != c.watch {
			t.Errorf("%s keeps a question: %d %s", c.who, a.code, a.body)
		}
	}
	for who, change := range map[string]map[string]any{
		"of yesterday": {"exp": time.Now().Add(-time.Minute).Unix()}, "for another program": {"aud": "wiki"}, "of another issuer": {"iss": g.url},
	} {
		if a := search(g.by.Token(issuertest.First, change)); a.code != http.StatusUnauthorized || a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: %d %s", who, a.code, a.body)
		}
	}

	// News end with the token.
	short := g.by.Token(issuertest.First, map[string]any{"exp": time.Now().Add(2 * time.Second).Unix()})
	res, err := http.DefaultClient.Do(g.request(http.MethodGet, "/api/v1/events/changes", "", "Authorization", "Bearer "+short))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	told, err := io.ReadAll(res.Body)
	if res.StatusCode == http.StatusOK && (err != nil || !bytes.HasPrefix(told, []byte(": listening"))) {
		t.Errorf("%s, %v", told, err)
	}

	// An issuer that is away keeps nobody out who has something else.
	g.by.Away(true)
	if a := search(g.secret.Password("admin")); a.code != http.StatusOK {
		t.Errorf("while the issuer is away: %d %s", a.code, a.body)
	}
}

package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/freshet-dev/freshet/pkg/issuertest"
)

// An agent that knows the address alone is told whose tokens are taken, and has its person
// log in there, as the protocol's own library does it.
func TestAgentWithoutAToken_IsLedToTheLogin(t *testing.T) {
	g := one(t)
	asked := ""
	login, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: &oauthex.ClientCredentials{ClientID: issuertest.Audience},
		RedirectURL:         "http://127.0.0.1:9/back",
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			asked = args.URL
			return browse(ctx, args.URL)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "check", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: g.url + "/mcp", OAuthHandler: login, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	if !strings.HasPrefix(asked, g.by.URL+"/auth?") || !strings.Contains(asked, "scope=openid") {
		t.Errorf("its person is sent to %s", asked)
	}
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "heron"}})
	if err != nil || r.IsError {
		t.Fatalf("%v, %v", r, err)
	}
	// It has the groups of the person: docs, and no other.
	if text := r.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "ibis") || strings.Contains(text, "stork") {
		t.Errorf("it is answered: %s", text)
	}
}

// browse is what a person's browser does with the address of a login.
func browse(ctx context.Context, address string) (*auth.AuthorizationResult, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	back, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		return nil, err
	}
	return &auth.AuthorizationResult{Code: back.Query().Get("code"), State: back.Query().Get("state")}, nil
}

// What the gateway says of itself is what it is reached by.
func TestProtectedResource_IsNamedAsItIsReached(t *testing.T) {
	g := one(t)
	const where = "/.well-known/oauth-protected-resource/mcp"
	a := g.do(g.request(http.MethodGet, where, ""))
	if want := `"resource":"` + g.url + `/mcp"`; a.code != http.StatusOK || !strings.Contains(string(a.body), want) || !strings.Contains(string(a.body), g.by.URL) {
		t.Errorf("%d %s", a.code, a.body)
	}
	for _, c := range []struct{ method, path, want string }{
		{http.MethodPost, "/mcp", `resource_metadata="` + g.url + where + `"`},
		{http.MethodGet, "/api/v1/status", `Bearer realm="freshet"`},
	} {
		if a := g.do(g.request(c.method, c.path, "{}")); a.code != http.StatusUnauthorized || !strings.Contains(a.header.Get("WWW-Authenticate"), c.want) {
			t.Errorf("%s: %d %q", c.path, a.code, a.header.Get("WWW-Authenticate"))
		}
	}
	// Without an issuer there is none to name.
	s := start(t, nil)
	if a := s.do(s.request(http.MethodGet, where, "")); a.code != http.StatusNotFound {
		t.Errorf("without an issuer: %d %s", a.code, a.body)
	}
}

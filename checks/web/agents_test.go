package web

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway"
)

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// agent is a client of the protocol's own library, as a role.
func (s *site) agent(role contract.Role) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "check", Version: "1"}, nil)
	return c.Connect(s.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(gateway.Token(s.secret, role))}, MaxRetries: -1,
	}, nil)
}

func TestAgentElsewhere_IsAnswered(t *testing.T) {
	s := start(t, nil)
	session, err := s.agent(contract.RoleAsk)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	if said := session.InitializeResult().Instructions; !strings.Contains(said, "SOURCE:PATH, as in every answer") || strings.Contains(said, "%!") || len(said) > 2048 {
		t.Errorf("it is told:\n%s", said)
	}
	call := func(name string, args map[string]any) (string, bool) {
		t.Helper()
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search", map[string]any{"query": "heron waits", "limit": 1}, "birds:heron.go:"},
		{"search", map[string]any{"query": "reeds", "path": "birds:ibis.md"}, "birds:ibis.md:"},
		{"grep", map[string]any{"pattern": "nests"}, "birds:ibis.md"},
		{"read", map[string]any{"path": "birds:heron.go:3-3"}, "3| // Heron stands"},
		{"read", map[string]any{"path": "heron.go"}, "1| package birds"},
		{"outline", map[string]any{"path": "birds:heron.go"}, "Heron"},
		{"outline", map[string]any{"source": "birds"}, "ibis.md"},
		{"related", map[string]any{"path": "birds:heron.go:4"}, "birds:heron.go Heron"},
		{"status", map[string]any{}, "birds"},
	} {
		if text, failed := call(c.tool, c.args); failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %v: %s", c.tool, c.args, text)
		}
	}
	if text, failed := call("read", map[string]any{"path": "birds:stork.go"}); !failed || !strings.Contains(text, "stork.go") {
		t.Errorf("a document that is not there: %s", text)
	}
	if text, failed := call("search", map[string]any{"query": "x", "path": "/etc/passwd"}); !failed || !strings.Contains(text, "lies in no source") {
		t.Errorf("a file of the gateway's machine: %s", text)
	}
}

// What an agent on another machine names is not relative to the gateway's folder.
func TestAgentElsewhere_IsNotTakenForOneInTheGatewaysFolder(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile(filepath.Join(folder, "near.md"), []byte("# A stilt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *config.Config) { c.Sources = append(c.Sources, config.Source{Root: folder, Name: "near"}) })
	session, err := s.agent(contract.RoleAsk)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	ask := func(path string) string {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "ibis", "path": path}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	if text := ask("*.md"); !strings.Contains(text, "birds:ibis.md") {
		t.Errorf("a glob is taken for one in the gateway's own folder: %s", text)
	}
}

func TestAgentWithoutAToken_IsRefused(t *testing.T) {
	s := start(t, nil)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	headers := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	if a := s.as("", "POST", "/mcp", hello, headers...); a.code != http.StatusUnauthorized || a.header.Get("WWW-Authenticate") == "" {
		t.Errorf("a stranger: %d %s", a.code, a.body)
	}
	if a := s.as(contract.RoleAnnounce, "POST", "/mcp", hello, headers...); a.code != http.StatusForbidden {
		t.Errorf("a hook: %d %s", a.code, a.body)
	}
	for what, h := range map[string][]string{
		"a page elsewhere": {"Origin", "http://elsewhere.example"}, "another site": {"Sec-Fetch-Site", "cross-site"}, "another name": {"Host", "elsewhere.example"},
	} {
		if a := s.as(contract.RoleAsk, "POST", "/mcp", hello, append(h, headers...)...); a.code != http.StatusForbidden {
			t.Errorf("%s: %d %s", what, a.code, a.body)
		}
	}
	if a := s.as(contract.RoleAsk, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"`+strings.Repeat("x", 2<<20)+`"}}`, headers...); a.code != http.StatusRequestEntityTooLarge {
		t.Errorf("2 MiB: %d %s", a.code, a.body)
	}
	a := s.as(contract.RoleAsk, "POST", "/mcp", hello, headers...)
	var list struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal(a.body, &list); err != nil || a.code != http.StatusOK || len(list.Result.Tools) != 6 {
		t.Errorf("with a token: %d %v %s", a.code, err, a.body)
	}
}

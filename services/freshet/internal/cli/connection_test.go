package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// What the command prints is enough for a client that knows nothing of freshet.
func TestConnection_IsEnoughForAnyClient(t *testing.T) {
	t.Parallel()
	root := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), root)
	if strings.Contains(i.ready, "@") {
		t.Errorf("the ready line has a login in it: %q", i.ready)
	}
	url := strings.TrimSpace(must(t, "connection", "--data", i.data))
	nc, err := nats.Connect(url, nats.CustomInboxPrefix("_INBOX.ask"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	m, err := nc.RequestWithContext(t.Context(), contract.SubjectSearch, []byte(`{"query":"heron"}`))
	if err != nil || !strings.Contains(string(m.Data), "parse.go") {
		t.Errorf("%v", err)
	}
	var c struct {
		URL, User, Password, Login string
		InboxPrefix                string `json:"inbox_prefix"`
		Env                        map[string]string
	}
	if err := json.Unmarshal([]byte(must(t, "connection", "--json", "--role", "write", "--data", i.data)), &c); err != nil {
		t.Fatal(err)
	}
	if c.User != "write" || c.InboxPrefix != "_INBOX.write" || c.URL != i.url || c.Env["FRESHET_NATS_PASSWORD"] != c.Password {
		t.Errorf("%+v", c)
	}
	// By the URL alone, or the environment, the commands have the login's role.
	announce := strings.TrimSpace(must(t, "connection", "--role", "announce", "--data", i.data))
	elsewhere := filepath.Join(t.TempDir(), "none")
	if token := must(t, "token", root, "--nats", announce, "--data", elsewhere); !strings.Contains(token, ".") {
		t.Errorf("a token is %q", token)
	}
	if out := must(t, "search", "heron", "--nats", c.Login, "--data", elsewhere); !strings.Contains(out, "parse.go") {
		t.Errorf("the answer is\n%s", out)
	}
	refuse(t, program(t, "search", "heron", "--nats", i.url, "--data", elsewhere), "lets nobody in without a login", "freshet connection")
	refuse(t, program(t, "search", "heron", "--nats", announce, "--data", elsewhere), contract.SubjectSearch, "role", "freshet connection")
	refuse(t, program(t, "connection", "--role", "king", "--data", i.data), "king", "ask, announce, write, admin")
	// The port is enough where the state folder is there.
	if out := must(t, "search", "heron", "--nats", i.url, "--data", i.data); !strings.Contains(out, "parse.go") {
		t.Errorf("the answer is\n%s", out)
	}
	i.stop()
}

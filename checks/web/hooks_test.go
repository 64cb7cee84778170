package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
)

const hookSecret = "what both sides have"

// git runs git in a folder, and nobody's own settings.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=ada", "-c", "user.email=ada@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// commit writes a file and commits it.
func commit(t *testing.T, clone, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(clone, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "-q", "-m", name)
}

// pushed sends what GitHub sends after a push.
func (s *site) pushed(event, body, secret string) answer {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return s.do(s.request("POST", "/hooks/birds", body, "Content-Type", "application/json", "X-GitHub-Event", event, "X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil))))
}

func TestPush_IsInTheAnswerToItsWebhook(t *testing.T) {
	clone := filepath.Join(t.TempDir(), "clone")
	if err := os.MkdirAll(clone, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, clone, "init", "-q", "-b", "main")
	commit(t, clone, "avocet.md", "# Avocet\n")
	remote, secret := filepath.Join(t.TempDir(), "birds.git"), filepath.Join(t.TempDir(), "secret")
	git(t, clone, "clone", "-q", "--bare", clone, remote)
	git(t, clone, "remote", "add", "origin", remote)
	if err := os.WriteFile(secret, []byte(hookSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *config.Config) {
		c.Sources = []config.Source{{Root: remote, Name: "remote"}}
		c.Gateway.Body = 2048 // is not that of webhooks
		c.Gateway.Hooks = []config.Hook{{Name: "birds", Kind: "github", Source: "remote", SecretFile: secret}}
	})

	commit(t, clone, "stilt.md", "# Stilt\n\nThe stilt nests on salt flats.\n")
	began := time.Now()
	git(t, clone, "push", "-q", "origin", "main")
	body := `{"ref":"refs/heads/main","after":"` + strings.Repeat("0", 40) + `","commits":["` + strings.Repeat("x", 4096) + `"]}`
	a := s.pushed("push", body, hookSecret)
	var told struct {
		Event, Source, Token string
		Looking              bool
	}
	if err := json.Unmarshal(a.body, &told); err != nil || a.code != http.StatusOK || told.Event != "push" || told.Source != "remote" || told.Token == "" && !told.Looking {
		t.Fatalf("%d %v %s", a.code, err, a.body)
	}
	if told.Looking { // the machine is slow: everything that was accepted
		told.Token = "latest"
	}
	found := s.as(contract.RoleAsk, "POST", "/api/v1/search", `{"query":"where does the stilt nest","token":"`+told.Token+`","deadline_ms":60000}`)
	var reply contract.SearchReply
	if err := json.Unmarshal(found.body, &reply); err != nil || len(reply.Hits) == 0 || reply.Hits[0].Path != "stilt.md" || len(reply.Pending) > 0 {
		t.Errorf("%d %v %s", found.code, err, found.body)
	}
	t.Logf("from git push to the answer: %s", time.Since(began).Round(time.Millisecond))

	if a := s.pushed("push", body, hookSecret); a.code != http.StatusConflict || a.failure(t).Error.Kind != "conflict" {
		t.Errorf("sent again: %d %s", a.code, a.body)
	}
	if a := s.pushed("push", body+" ", "what somebody else has"); a.code != http.StatusUnauthorized {
		t.Errorf("forged: %d %s", a.code, a.body)
	}
	if a := s.pushed("ping", `{"zen":"Keep it simple."}`, hookSecret); a.code != http.StatusOK || strings.Contains(string(a.body), "token") {
		t.Errorf("a ping: %d %s", a.code, a.body)
	}
	if a := s.pushed("push", strings.Repeat(" ", 25<<20+1), hookSecret); a.code != http.StatusRequestEntityTooLarge {
		t.Errorf("more than GitHub sends: %d %s", a.code, a.body)
	}
	if a := s.do(s.request("POST", "/hooks/none", "{}")); a.code != http.StatusNotFound {
		t.Errorf("a webhook that is not there: %d %s", a.code, a.body)
	}
	r := s.request("POST", "/hooks/birds", "{}", "Origin", "http://elsewhere.example")
	if a := s.do(r); a.code != http.StatusForbidden {
		t.Errorf("a page elsewhere: %d %s", a.code, a.body)
	}
}

// What led to no look may be sent again.
func TestWebhookForASourceThatIsNotThere_MayBeSentAgain(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(hookSecret), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, func(c *config.Config) {
		c.Gateway.Hooks = []config.Hook{{Name: "birds", Kind: "github", Source: "later", SecretFile: secret}}
	})
	if a := s.pushed("push", "{}", hookSecret); a.code != http.StatusNotFound || !strings.Contains(string(a.body), "later") {
		t.Errorf("%d %s", a.code, a.body)
	}
	folder := t.TempDir()
	js, err := json.Marshal(contract.SourceAdd{Root: folder, Source: "later"})
	if err != nil {
		t.Fatal(err)
	}
	if a := s.as(contract.RoleWrite, "POST", "/api/v1/sources", string(js)); a.code != http.StatusOK {
		t.Fatalf("%d %s", a.code, a.body)
	}
	if a := s.pushed("push", "{}", hookSecret); a.code != http.StatusOK || !strings.Contains(string(a.body), `"token"`) && !strings.Contains(string(a.body), `"looking"`) {
		t.Errorf("%d %s", a.code, a.body)
	}
}

package apart

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway"
)

// over asks a gateway over HTTP, as a role with a secret.
func over(t *testing.T, url string, secret bus.Secret, role contract.Role, method, path, body string) (code int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+gateway.Token(secret, role))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestGatewayApart_ComesBackAfterEachOutage(t *testing.T) {
	const secret bus.Secret = "what the tokens are made of"
	root, log := t.TempDir(), t.TempDir()
	write(t, root, "heron.md", "# Herons\n\nThey stand in the reeds.\n")
	config := configure(t, root)
	write(t, filepath.Dir(config), "secret", secret.Reveal()+"\n")
	env := []string{"FRESHET_GATEWAY_LISTEN=127.0.0.1:0", "FRESHET_GATEWAY_SECRET_FILE=" + filepath.Join(filepath.Dir(config), "secret")}
	server, at := natsAt(t, log, strconv.Itoa(embedded.AnyPort))
	env = append(env, "FRESHET_NATS_URL="+at)

	// The gateway needs no log, and the others need not be there.
	front := start(t, "gateway", config, env...)
	front.ready()
	url := front.says(`msg=answering .*url=(\S+)`)
	if code, text := over(t, url, secret, contract.RoleAsk, "GET", "/api/v1/sources", ""); code != http.StatusServiceUnavailable || !strings.Contains(text, `"unavailable"`) {
		t.Errorf("nobody is there to answer, and the gateway says %d %s", code, text)
	}
	watcher := start(t, "watcher", config, env...)
	watcher.ready()
	var sources string
	watcher.eventually(func() bool {
		code, text := over(t, url, secret, contract.RoleAsk, "GET", "/api/v1/sources", "")
		sources = text
		return code == http.StatusOK
	}, "to list its sources")
	if !strings.Contains(sources, `"birds"`) {
		t.Errorf("the sources are %s", sources)
	}
	code, text := over(t, url, secret, contract.RoleAnnounce, "POST", "/api/v1/token", "{}")
	if code != http.StatusOK || !strings.Contains(text, `"token"`) {
		t.Errorf("a token: %d %s", code, text)
	}
	if code, _ := over(t, url, "another secret of somebody", contract.RoleAdmin, "GET", "/api/v1/sources", ""); code != http.StatusUnauthorized {
		t.Errorf("a stranger is answered with %d", code)
	}
	if code, _ := over(t, url, secret, contract.RoleAsk, "GET", "/", ""); code != http.StatusOK {
		t.Errorf("the page is answered with %d", code)
	}

	// Without the server it says so, and comes back with it.
	server.kill()
	front.eventually(func() bool { code, _ := front.readyz(); return code == http.StatusServiceUnavailable }, "to notice that the server is gone")
	if code, _ := over(t, url, secret, contract.RoleAsk, "GET", "/api/v1/sources", ""); code != http.StatusServiceUnavailable && code != http.StatusGatewayTimeout {
		t.Errorf("without a server the gateway answers %d", code)
	}
	_, _ = natsAt(t, log, at[strings.LastIndexByte(at, ':')+1:])
	front.ready()
	watcher.ready()
	front.eventually(func() bool {
		code, _ := over(t, url, secret, contract.RoleAsk, "GET", "/api/v1/sources", "")
		return code == http.StatusOK
	}, "to reach the watcher again")

	// Who listens to news is let go, not cut off.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/events/changes", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+gateway.Token(secret, contract.RoleAsk))
	news, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = news.Body.Close() }()
	front.stop(syscall.SIGTERM, 0)
	if _, err := io.ReadAll(news.Body); err != nil {
		t.Errorf("the listener was cut off: %v", err)
	}
	watcher.stop(syscall.SIGTERM, 0)
}

func TestGatewayWithoutASecret_IsRefused(t *testing.T) {
	_, at := natsAt(t, t.TempDir(), strconv.Itoa(embedded.AnyPort))
	for said, section := range map[string]string{
		"gateway.secret_file is missing":   "{listen: '127.0.0.1:0'}",
		"there is no secret in /not/there": "{listen: '127.0.0.1:0', secret_file: /not/there}",
		"gateway.listen is empty":          "{listen: '', secret_file: /not/there}",
		"nothing would be encrypted":       "{listen: '0.0.0.0:4723', secret_file: /not/there}",
	} {
		dir := t.TempDir()
		write(t, dir, "freshet.yaml", "nats: {url: '"+at+"'}\ngateway: "+section+"\n")
		cmd := exec.Command(program(t, "gateway"), "--config", filepath.Join(dir, "freshet.yaml"))
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || strings.Count(string(out), said) != 1 {
			t.Errorf("%s: %d: %s", section, cmd.ProcessState.ExitCode(), out)
		}
	}
}

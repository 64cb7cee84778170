package cli_test

import (
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// One path: the same program runs on a server of somebody else.
func TestExternalServer_IsUsed(t *testing.T) {
	t.Parallel()
	server, err := embedded.Start(embedded.Config{Dir: filepath.Join(t.TempDir(), "js"), Port: embedded.AnyPort})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
	}()
	data := filepath.Join(t.TempDir(), "s")
	i := start(t, data, "--nats", server.ClientURL(), tree(t, small))
	if i.url != server.ClientURL() || !strings.Contains(i.ready, "--nats "+server.ClientURL()) {
		t.Errorf("the ready line is %q", i.ready)
	}
	if out := must(t, "search", "heron", "--nats", server.ClientURL()); !strings.Contains(out, "parse.go") {
		t.Errorf("the answer is\n%s", out)
	}
	if out := must(t, "search", "heron", "--data", data); !strings.Contains(out, "parse.go") {
		t.Errorf("by the state folder the answer is\n%s", out)
	}
	// Nobody would watch what a second one is given.
	second := program(t, "up", "--nats", server.ClientURL(), "--data", filepath.Join(t.TempDir(), "s"), tree(t, small))
	refuse(t, second, server.ClientURL(), "freshet source add PATH --nats")
	i.stop()
	refuse(t, program(t, "search", "heron", "--nats", server.ClientURL()), "nobody answers")
}

func TestLogin_IsUsed(t *testing.T) {
	server, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(),
		Username: "ada", Password: "geheim", NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Start()
	defer func() { server.Shutdown(); server.WaitForShutdown() }()
	if !server.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	url := "nats://" + server.Addr().String()
	folder, data := tree(t, small), filepath.Join(t.TempDir(), "s")
	refuse(t, program(t, "up", "--nats", url, "--data", data, folder), url, "nats.user")
	refuse(t, program(t, "search", "heron", "--nats", url), url, "nats.user")

	t.Setenv("FRESHET_NATS_USER", "ada")
	t.Setenv("FRESHET_NATS_PASSWORD", "wrong")
	refuse(t, program(t, "search", "heron", "--nats", url), url, "nats.password")
	refuse(t, program(t, "up", "--data", data, folder), "nats.user is set", "embedded")
	t.Setenv("FRESHET_NATS_PASSWORD", "geheim")
	i := start(t, data, "--nats", url, folder)
	for _, args := range [][]string{{"--nats", url}, {"--data", data}} {
		if out := must(t, append([]string{"search", "heron"}, args...)...); !strings.Contains(out, "parse.go") {
			t.Errorf("%v: the answer is\n%s", args, out)
		}
	}
	i.stop()

	// A login in the URL is used, and not shown.
	t.Setenv("FRESHET_NATS_USER", "")
	t.Setenv("FRESHET_NATS_PASSWORD", "")
	open := strings.Replace(url, "://", "://ada:geheim@", 1)
	i = start(t, data, "--nats", open, folder)
	if strings.Contains(i.ready, "geheim") {
		t.Errorf("the password is printed: %s", i.ready)
	}
	search := program(t, "search", "heron")
	search.Env = append(search.Env, instance.EnvURL+"="+open)
	if r := finish(t, search); r.code != 0 || !strings.Contains(r.stdout, "parse.go") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	i.stop()
}

func TestHealthOfTheWhole_IsTold(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	folder := tree(t, small)
	t.Setenv("FRESHET_HEALTH_LISTEN", address)
	refuse(t, program(t, "up", "--nats-port", "0", folder), "health.listen", address)
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	for _, path := range []string{"/healthz", "/readyz"} {
		resp, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s is %d", path, resp.StatusCode)
		}
	}
	i.stop()
}

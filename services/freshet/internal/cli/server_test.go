package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// One path: the same program runs on a server of somebody else.
func TestExternalServerIsNotUsed(t *testing.T) {
	server, err := bus.StartServer(bus.ServerConfig{Dir: filepath.Join(t.TempDir(), "js"), Port: bus.AnyPort})
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
	i.stop()
	refuse(t, program(t, "search", "heron", "--nats", server.ClientURL()), "nobody answers")
}

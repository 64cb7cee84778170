//go:build servers && control

package servers_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// kinds are the two servers, for tests that do the same to both.
var kinds = []struct {
	name   string
	own    func(testing.TB, ...string) *servers.Server
	open   func(context.Context, string, ...string) (*servers.Server, error)
	client func(string) client
}{
	{"elasticsearch", servers.OwnElasticsearch, servers.Elasticsearch, elasticClient},
	{"weaviate", servers.OwnWeaviate, servers.Weaviate, weaviateClient},
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStopOrKill_KeepsData(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.own(t)
			c := k.client(s.URL())
			c.keep(t, "Stopped")
			check(t, s.Stop(t.Context()))
			refused(t, s.URL())
			check(t, s.Start(t.Context()))
			c.holds(t, "Stopped")
			c.keep(t, "Killed")
			check(t, s.Kill())
			refused(t, s.URL())
			check(t, s.Start(t.Context()))
			c.holds(t, "Stopped")
			c.holds(t, "Killed")
		})
	}
}

func TestWipeOrRestore_LeavesNothingNewer(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.own(t)
			c := k.client(s.URL())
			older := filepath.Join(t.TempDir(), "older")
			c.keep(t, "Old")
			check(t, s.Stop(t.Context()))
			check(t, s.Copy(older))
			check(t, s.Start(t.Context()))
			c.keep(t, "New")
			check(t, s.Stop(t.Context()))
			check(t, s.Restore(older))
			check(t, s.Start(t.Context()))
			c.holds(t, "Old")
			c.lacks(t, "New")
			c.keep(t, "New")
			check(t, s.Stop(t.Context()))
			check(t, s.Wipe())
			check(t, s.Start(t.Context()))
			c.lacks(t, "Old")
			c.lacks(t, "New")
			c.keep(t, "New")
			c.holds(t, "New")
		})
	}
}

func TestTwoOfAKind_LeaveEachOtherAlone(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			first, second := k.own(t), k.own(t)
			a, b := k.client(first.URL()), k.client(second.URL())
			a.keep(t, "First")
			b.keep(t, "Second")
			a.lacks(t, "Second")
			b.lacks(t, "First")
			check(t, first.Stop(t.Context()))
			b.holds(t, "Second")
			check(t, first.Start(t.Context()))
			a.holds(t, "First")
		})
	}
}

func TestARunningServer_CannotBeWipedOrRestored(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := k.own(t)
			dir := t.TempDir()
			for what, err := range map[string]error{
				"wipe": s.Wipe(), "restore": s.Restore(dir), "copy": s.Copy(filepath.Join(dir, "copy")), "start": s.Start(t.Context()),
			} {
				if err == nil || !strings.Contains(err.Error(), "stop it first") {
					t.Errorf("%s of a running server: %v", what, err)
				}
			}
			check(t, s.Stop(t.Context()))
			if err := s.Kill(); err == nil || !strings.Contains(err.Error(), "start it first") {
				t.Errorf("kill of a stopped server: %v", err)
			}
		})
	}
}

func TestAGivenServer_IsLeftAlone(t *testing.T) {
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			running := k.own(t)
			variable := []string{"ELASTIC_URL", "WEAVIATE_URL"}[i]
			t.Setenv(variable, running.URL()+"/")
			s, err := k.open(t.Context(), t.TempDir())
			check(t, err)
			if s.URL() != running.URL() {
				t.Errorf("%s is %s/, but the server is %s", variable, running.URL(), s.URL())
			}
			for what, err := range map[string]error{
				"stop": s.Stop(t.Context()), "kill": s.Kill(), "start": s.Start(t.Context()),
				"wipe": s.Wipe(), "restore": s.Restore(t.TempDir()), "copy": s.Copy(t.TempDir()),
			} {
				if err == nil || !strings.Contains(err.Error(), "unset "+variable) {
					t.Errorf("%s: %v", what, err)
				}
			}
			s.Close()
			k.client(running.URL()).keep(t, "Untouched")
			if _, err := k.open(t.Context(), t.TempDir(), "a=b"); err == nil || !strings.Contains(err.Error(), "unset "+variable) {
				t.Errorf("settings for a given server: %v", err)
			}
			check(t, running.Kill())
			if _, err := k.open(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), variable) {
				t.Errorf("a given server that does not answer: %v", err)
			}
		})
	}
}

func TestAFailedStart_QuotesTheLog(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			bad := map[string]string{"elasticsearch": "no.such.setting=1", "weaviate": "GRPC_PORT=many"}[k.name]
			_, err := k.open(t.Context(), t.TempDir(), bad)
			if err == nil || !strings.Contains(err.Error(), strings.SplitN(bad, "=", 2)[0]) {
				t.Errorf("the error should quote the log: %v", err)
			}
		})
	}
}

// asOwner makes the test binary start a server, say so, and wait to be killed.
const asOwner = "FRESHET_SERVERS_TEST_OWNER"

func TestOwnerEnds_ItsServerEnds(t *testing.T) {
	if dir := os.Getenv(asOwner); dir != "" {
		for _, k := range kinds {
			s, err := k.open(t.Context(), filepath.Join(dir, k.name))
			check(t, err)
			_, err = os.Stdout.WriteString("at " + s.URL() + "\n")
			check(t, err)
		}
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the other process does
	}
	owner := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	owner.Env = append(os.Environ(), asOwner+"="+t.TempDir())
	owner.Stderr = os.Stderr
	_, err := owner.StdinPipe()
	check(t, err)
	out, err := owner.StdoutPipe()
	check(t, err)
	check(t, owner.Start())
	defer func() { _ = owner.Wait() }() // it says "killed"
	defer func() { _ = owner.Process.Kill() }()
	var urls []string
	for lines := bufio.NewScanner(out); len(urls) < len(kinds); {
		if !lines.Scan() {
			t.Fatal("the owner ended before both servers answered")
		}
		if url, ok := strings.CutPrefix(lines.Text(), "at "); ok {
			urls = append(urls, url)
		}
	}
	check(t, owner.Process.Kill())
	for _, url := range urls {
		for {
			conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				break
			}
			// A connection on which nothing is said ends with the process behind it.
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Errorf("the server at %s talks without being asked", url)
			}
			conn.Close()
		}
	}
}

// refused fails if somebody listens at url.
func refused(t *testing.T, url string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err == nil {
		conn.Close()
		t.Errorf("somebody still listens at %s", url)
	}
}

package helm

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mirrors runs the script of the chart, as the containers of the watcher do.
type mirrors struct {
	t        *testing.T
	dir, lib string // of the mirrors, and of the ConfigMap
	secrets  string
}

// newMirrors takes the script and the list from the rendered ConfigMap.
func newMirrors(t *testing.T, repositories ...map[string]any) mirrors {
	t.Helper()
	list := make([]any, len(repositories))
	for i, r := range repositories {
		list[i] = r
	}
	o := render(t, map[string]any{"watcher": map[string]any{"mirrors": map[string]any{"repositories": list}}})
	m := mirrors{t, t.TempDir(), t.TempDir(), t.TempDir()}
	pod := o.deployments["watcher"].Spec.Template.Spec
	for _, name := range []string{"mirror.sh", "repositories"} {
		text := mountedFile(t, o, pod, pod.InitContainers[0], "/etc/freshet/"+name)
		if err := os.WriteFile(filepath.Join(m.lib, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m mirrors) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(m.t.Context(), "/bin/sh", append([]string{filepath.Join(m.lib, "mirror.sh")}, args...)...)
	cmd.Env = append(os.Environ(), "DIR="+m.dir, "MIRRORS="+m.lib, "SECRETS="+m.secrets, "HOME="+m.lib, "GIT_CONFIG_NOSYSTEM=1")
	return cmd
}

// git runs git in a folder and returns what it prints.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func newRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, "init", "--quiet", "--initial-branch", "main")
	git(t, dir, "commit", "--quiet", "--allow-empty", "--message", "first")
	return dir
}

func TestMirror_FollowsItsRepository(t *testing.T) {
	api, web := newRepository(t), newRepository(t)
	m := newMirrors(t, map[string]any{"name": "api", "url": "file://" + api}, map[string]any{"name": "web", "url": "file://" + web})
	if out, err := m.command("once").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, source := range map[string]string{"api": api, "web": web} {
		mirror := filepath.Join(m.dir, name+".git")
		if git(t, mirror, "rev-parse", "--is-bare-repository") != "true" || git(t, mirror, "rev-parse", "main") != git(t, source, "rev-parse", "main") {
			t.Errorf("%s is no bare mirror of %s", mirror, source)
		}
	}
	git(t, api, "commit", "--quiet", "--allow-empty", "--message", "second")
	git(t, api, "branch", "release")
	if err := os.RemoveAll(web); err != nil { // the server of the other is down
		t.Fatal(err)
	}
	if out, err := m.command("once").CombinedOutput(); err != nil || !strings.Contains(string(out), "could not fetch web") {
		t.Errorf("with a mirror of a repository that is down: %v\n%s", err, out)
	}
	mirror := filepath.Join(m.dir, "api.git")
	if git(t, mirror, "rev-parse", "main") != git(t, api, "rev-parse", "main") || git(t, mirror, "rev-parse", "release") == "" {
		t.Error("what was committed did not come")
	}
	git(t, api, "branch", "--delete", "release")
	if out, err := m.command("once").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if branches := git(t, mirror, "branch", "--list"); strings.Contains(branches, "release") {
		t.Errorf("a deleted branch is still there: %s", branches)
	}
}

// A watcher without the repository would end at once; the reason stands in the
// log of the container before it.
func TestMissingRepository_IsTold(t *testing.T) {
	m := newMirrors(t, map[string]any{"name": "api", "url": "file://" + t.TempDir()}, map[string]any{"name": "web", "url": "file://" + newRepository(t)})
	out, err := m.command("once").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "could not fetch api") || !strings.Contains(string(out), "cloned web") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := m.command("twice").CombinedOutput(); err == nil || !strings.HasPrefix(string(out), "usage:") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMirror_IsFetchedAgain(t *testing.T) {
	api := newRepository(t)
	m := newMirrors(t, map[string]any{"name": "api", "url": "file://" + api})
	every := m.command("every", "1")
	stdout, err := every.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := every.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "cloned api\n" {
		t.Errorf("%q: %v", line, err)
	}
	if err := every.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := every.Wait(); err != nil {
		t.Errorf("it does not end with the Pod: %v", err)
	}
}

// The server sees the user and the password that the Secret has.
func TestPasswordOfARepository_IsUsed(t *testing.T) {
	asked := make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		if !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		asked <- user + ":" + password
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "no such repository\n")
	}))
	defer server.Close()
	m := newMirrors(t, map[string]any{"name": "api", "url": server.URL + "/api.git", "secret": "git-api"})
	secret := filepath.Join(m.secrets, "api")
	if err := os.Mkdir(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"username": "robot", "password": "s3cr$t \"x\""} {
		if err := os.WriteFile(filepath.Join(secret, key), []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := m.command("once").CombinedOutput()
	select {
	case got := <-asked:
		if want := `robot:s3cr$t "x"`; got != want {
			t.Errorf("git logs in as %s, not %s", got, want)
		}
	default:
		t.Errorf("git does not log in: %v\n%s", err, out)
	}
	if strings.Contains(fmt.Sprint(string(out)), "s3cr$t") {
		t.Errorf("the password is in the log:\n%s", out)
	}
}

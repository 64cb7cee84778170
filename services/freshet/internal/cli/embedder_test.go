package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	"github.com/freshet-dev/freshet/pkg/render"
)

func TestListOfEmbedders_TellsWhatEachCollectionHas(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"parse.go": "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string {\n\treturn s\n}\n",
		"reeds.md": "# Herons\n\nA heron stands.\n",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	r := run(t, "embedder", "list", "--data", i.data)
	if r.code != 0 || !strings.Contains(r.stdout, "code        bundled model") || !strings.Contains(r.stdout, "docs        bundled model") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	r = run(t, "embedder", "list", "--data", i.data, "--json")
	var list render.Embedders
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil || len(list.Embedders) != len(document.Collections) {
		t.Fatalf("%s: %v", r.stdout, err)
	}
	for _, one := range list.Embedders {
		if one.Dims == 0 || one.Documents != 1 || one.Passages == 0 || one.Vectors != one.Passages || one.Generation == "" || one.Embedding.Embedder == "" || one.Next != nil {
			t.Errorf("%+v", one)
		}
	}
	i.stop()
}

// setDocs chooses a server for documentation, asking nobody.
func setDocs(t *testing.T, data string, args ...string) result {
	t.Helper()
	return run(t, append([]string{"embedder", "set", "docs", "--data", data, "--yes", "--wait"}, args...)...)
}

// Somebody chooses a server of vectors for documentation while freshet runs, and goes back.
// What cannot work is refused, and leaves the configuration as it was.
func TestEmbedderIsSet_WhileFreshetRuns(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"parse.go": "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string {\n\treturn s\n}\n",
		"reeds.md": "# Herons\n\nA heron stands.\n",
	})
	s := embedtest.Start(t, 96)
	data := filepath.Join(t.TempDir(), "s")
	key := filepath.Join(t.TempDir(), "key")
	wrong := filepath.Join(t.TempDir(), "wrong")
	for file, text := range map[string]string{key: embedtest.Secret, wrong: "wrong"} {
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	i := start(t, data, folder)
	file := filepath.Join(data, "freshet.yaml")
	ollama := []string{"openai", "walrus-embed", "--url", s.URL() + "/v1", "--dimensions", "96", "--key-file"}
	if r := setDocs(t, data, append(ollama, wrong)...); r.code == 0 || !strings.Contains(r.stderr, "does not accept the key") {
		t.Errorf("a wrong key: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := setDocs(t, data, "openai", "walrus-embed", "--url", s.URL()+"/v1", "--key-file", key); r.code == 0 || !strings.Contains(r.stderr, "dimensions is missing") {
		t.Errorf("a model that is not known: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := run(t, "embedder", "set", "docs", "--data", data, "openai", "walrus-embed", "--url", s.URL()+"/v1", "--dimensions", "96", "--key-file", key); r.code == 0 || !strings.Contains(r.stderr, "add --yes") {
		t.Errorf("nobody to be asked: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if _, err := os.Stat(file); err == nil {
		t.Fatal("what was refused is written")
	}
	if r := setDocs(t, data, append(ollama, key)...); r.code != 0 || !strings.Contains(r.stderr, "embedder.provider of docs static → openai") || !strings.Contains(r.stderr, "1 document (") || !strings.Contains(r.stderr, "it answers") {
		t.Fatalf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	list := func() string {
		t.Helper()
		r := run(t, "embedder", "list", "--data", data)
		if r.code != 0 {
			t.Fatalf("exit %d: %s%s", r.code, r.stdout, r.stderr)
		}
		return r.stdout
	}
	if got := list(); !strings.Contains(got, "docs        walrus-embed of openai") || !strings.Contains(got, "code        bundled model") {
		t.Error(got)
	}
	written, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(written), embedtest.Secret) || !strings.Contains(string(written), "${file:"+key+"}") {
		t.Errorf("%s%v", written, err)
	}
	if r := setDocs(t, data, append(ollama, key)...); r.code != 0 || !strings.Contains(r.stderr, "says so already") {
		t.Errorf("once more: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	i.stop()

	// The next start reads it, and without one it is written all the same.
	i = start(t, data, folder)
	if got := list(); !strings.Contains(got, "docs        walrus-embed of openai") {
		t.Error(got)
	}
	i.stop()
	if r := setDocs(t, data, "shared"); r.code != 0 || !strings.Contains(r.stderr, "the next `freshet up`") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	i = start(t, data, folder)
	for !strings.Contains(list(), "docs        bundled model") {
	}
	if r := run(t, "config", "reload", "--data", data, "--json"); r.code != 0 || !strings.Contains(r.stdout, `"documents":0`) {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	i.stop()
}

func TestEmbedderThatCannotBeSet_IsRefused(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"books", "static"}, `"books" is no collection`},
		{[]string{"docs-books", "static"}, "the embedder of docs-books is written in its entry of collections.own"},
		{[]string{"all", "shared"}, "shared is what one collection has of all"},
		{[]string{"docs", "walrus"}, "collections.docs.embedder.provider"},
		{[]string{"docs", "openai"}, "collections.docs.embedder.model is missing"},
		{[]string{"docs", "static", "/nowhere"}, "/nowhere"},
		{[]string{"docs", "static", "--url", "http://127.0.0.1:1"}, "collections.docs.embedder.url is for a server"},
	} {
		r := run(t, append([]string{"embedder", "set", "--data", data}, c.args...)...)
		if r.code == 0 || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%q: exit %d: %s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("what was refused made a state folder")
	}
}

// A variable of the environment holds over the file: it is named, and nothing is written.
func TestVariableThatHoldsOverTheFile_IsNamed(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	s := embedtest.Start(t, 96)
	server := func(section string) []string {
		return []string{section + "PROVIDER=openai", section + "MODEL=walrus-embed", section + "URL=" + s.URL() + "/v1", section + "DIMENSIONS=96"}
	}
	const docs, all = "FRESHET_COLLECTIONS_DOCS_EMBEDDER_", "FRESHET_EMBEDDER_"
	for _, c := range []struct {
		variable string
		env      []string
		args     []string
	}{
		{docs + "PROVIDER", []string{docs + "PROVIDER=static"}, []string{"docs", "shared"}},
		{docs + "URL", server(docs), []string{"docs", "openai", "walrus-embed", "--url", "http://127.0.0.1:1/v1", "--dimensions", "96"}},
		{all + "DIMENSIONS", server(all), []string{"all", "openai", "walrus-embed", "--url", s.URL() + "/v1", "--dimensions", "48"}},
		{all + "MODEL", server(all)[:3], []string{"all", "openai"}},
	} {
		cmd := program(t, append([]string{"embedder", "set", "--data", data}, c.args...)...)
		cmd.Env = append(cmd.Env, c.env...)
		refuse(t, cmd, c.variable, "unset it")
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("what was refused made a state folder")
	}
}

func TestReadOnlyConfiguration_IsNotReplaced(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "freshet.yaml")
	put(t, file, "log: warn\n")
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	refuse(t, program(t, "embedder", "set", "docs", "static", "--config", file, "--data", filepath.Join(t.TempDir(), "s")), file, "read-only")
	if got, err := os.ReadFile(file); err != nil || string(got) != "log: warn\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Somebody edits the file by hand while the model is tried. What they wrote stays, and
// they are told.
func TestConfigurationThatChangesMeanwhile_Stays(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "freshet.yaml")
	put(t, file, "log: warn\n")
	s := embedtest.Start(t, 96)
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(http.ResponseWriter, embedtest.Asked) bool {
			put(t, file, "log: info\n")
			return false
		}
	})
	key := filepath.Join(t.TempDir(), "key")
	put(t, key, embedtest.Secret)
	r := run(t, "embedder", "set", "docs", "openai", "walrus-embed", "--url", s.URL()+"/v1", "--dimensions", "96", "--key-file", key, "--config", file, "--data", filepath.Join(t.TempDir(), "s"))
	if r.code == 0 || !strings.Contains(r.stderr, "somebody has changed "+file) {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "log: info\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Somebody presses Ctrl-C while the instance takes over what they have agreed to. It goes
// on, and the file says what it runs with.
func TestInterruptWhileItIsTakenOver_KeepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	i := start(t, data, tree(t, small))
	cmd, goOn := setSlowly(t, data)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it was interrupted, and says that all went well")
	}
	if got, err := os.ReadFile(filepath.Join(data, "freshet.yaml")); err != nil || !strings.Contains(string(got), "walrus-embed") {
		t.Errorf("%s%v", got, err)
	}
	goOn()
	for !strings.Contains(must(t, "embedder", "list", "--data", data), "docs        walrus-embed of openai") {
	}
	i.stop()
}

// setSlowly chooses a server for documentation, and returns when the instance is about to
// take that over; it does when goOn is called.
func setSlowly(t *testing.T, data string) (cmd *exec.Cmd, goOn func()) {
	t.Helper()
	s := embedtest.Start(t, 96)
	begun, opened := make(chan struct{}), make(chan struct{})
	var tried atomic.Int32
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(http.ResponseWriter, embedtest.Asked) bool {
			if tried.Add(1) == 3 { // after the command's own, and the one for what it takes
				close(begun)
				<-opened
			}
			return false
		}
	})
	key := filepath.Join(t.TempDir(), "key")
	put(t, key, embedtest.Secret)
	cmd = program(t, "embedder", "set", "docs", "openai", "walrus-embed", "--url", s.URL()+"/v1", "--dimensions", "96", "--key-file", key, "--data", data, "--yes")
	goOn = sync.OnceFunc(func() { close(opened) })
	t.Cleanup(goOn)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-begun
	return cmd, goOn
}

// The instance is killed while it takes over what somebody has agreed to: the next start
// does.
func TestKillWhileItIsTakenOver_KeepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	data, folder := filepath.Join(t.TempDir(), "s"), tree(t, small)
	i := start(t, data, folder)
	cmd, goOn := setSlowly(t, data)
	i.signal(syscall.SIGKILL)
	i.wait()
	if err := cmd.Wait(); err == nil {
		t.Error("the instance was killed, and it says that all went well")
	}
	goOn()
	i = start(t, data, folder)
	for !strings.Contains(must(t, "embedder", "list", "--data", data), "docs        walrus-embed of openai") {
	}
	i.stop()
}

// The instance is killed and started again while somebody waits for what they have chosen:
// that goes on, and they are told when it answers.
func TestRestartWhileSomebodyWaits_IsWaitedFor(t *testing.T) {
	t.Parallel()
	data, folder := filepath.Join(t.TempDir(), "s"), tree(t, small)
	i := start(t, data, folder)
	s := embedtest.Start(t, 96)
	begun, opened := make(chan struct{}), make(chan struct{})
	goOn, embeds := sync.OnceFunc(func() { close(opened) }), sync.OnceFunc(func() { close(begun) })
	t.Cleanup(goOn)
	s.Change(func(s *embedtest.Server) {
		s.Fault = func(_ http.ResponseWriter, a embedtest.Asked) bool {
			if strings.Contains(strings.Join(a.Texts, "\n"), "A heron stands") {
				embeds()
				<-opened
			}
			return false
		}
	})
	key := filepath.Join(t.TempDir(), "key")
	put(t, key, embedtest.Secret)
	told := make(chan result, 1)
	cmd := program(t, "embedder", "set", "docs", "openai", "walrus-embed", "--url", s.URL()+"/v1", "--dimensions", "96", "--key-file", key, "--data", data, "--yes", "--wait")
	go func() { told <- finish(t, cmd) }()
	<-begun
	i.signal(syscall.SIGKILL)
	i.wait()
	i = start(t, data, folder)
	goOn()
	if r := <-told; r.code != 0 || !strings.Contains(r.stderr, "it answers") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if list := must(t, "embedder", "list", "--data", data); !strings.Contains(list, "docs        walrus-embed of openai") {
		t.Error(list)
	}
	i.stop()
}

// The configuration of a machine lies in a repository, and a link leads there, to a file
// that is there or is to be made. The link stays.
func TestConfigurationBehindALink_IsWrittenThere(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"there": "log: warn\n", "to be made": ""} {
		dir := t.TempDir()
		file, link, first := filepath.Join(dir, "repository", "freshet.yaml"), filepath.Join(dir, "etc", "freshet.yaml"), filepath.Join(dir, "s", "freshet.yaml")
		put(t, filepath.Join(dir, "repository", "about"), "")
		if text != "" {
			put(t, file, text)
		}
		for at, to := range map[string]string{link: "../repository/freshet.yaml", first: link} {
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, at); err != nil {
				t.Fatal(err)
			}
		}
		must(t, "embedder", "set", "docs", "static", "--data", filepath.Dir(first))
		got, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(got), text) || !strings.Contains(string(got), "provider: \"static\"") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		for _, at := range []string{link, first} {
			if _, err := os.Readlink(at); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Somebody chooses an embedder before they start freshet for the first time.
func TestEmbedderThatIsSetBeforeTheFirstStart_IsTakenOver(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "s")
	must(t, "embedder", "set", "docs", "static", "--data", data)
	i := start(t, data, tree(t, small))
	if list := must(t, "embedder", "list", "--data", data); !strings.Contains(list, "docs        bundled model") {
		t.Error(list)
	}
	i.stop()
}

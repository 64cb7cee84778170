//go:build servers

package processes

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store/open"
)

// deployment is freshet as processes.
type deployment struct {
	unwatched bool // no watcher runs, so that the sources cannot be compared
	t         *testing.T
	dir       string
	root      string // what is watched, as source "tree"
	config    string
	cfg       config.Config
	server    *embedded.Server
	bus       *bus.Bus
	stores    open.Stores // to look into the servers

	// socket is that of an embedder that counts, for the embedders that are
	// started; "" for the bundled one.
	socket string

	mu        sync.Mutex
	processes []*process
}

// process is a running service.
type process struct {
	name   string
	cmd    *exec.Cmd
	output *bytes.Buffer
	ended  chan struct{}
}

const source = document.Source("tree")

// deploy starts a NATS server and as many processes of each service as are
// asked for, one watcher always. The stores are those at the URLs, under names
// of their own.
func deploy(t *testing.T, elastic, weaviate string, each int) *deployment {
	t.Helper()
	d := prepare(t, elastic, weaviate)
	d.start("watcher", 1)
	for _, name := range services[1:] {
		d.start(name, each)
	}
	return d
}

// prepare starts the NATS server alone.
func prepare(t *testing.T, elastic, weaviate string) *deployment {
	t.Helper()
	d := &deployment{t: t, dir: t.TempDir()}
	d.root = filepath.Join(d.dir, "tree")
	if err := os.Mkdir(d.root, 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.server, err = embedded.Start(embedded.Config{Dir: filepath.Join(d.dir, "log"), Host: "127.0.0.1", Port: embedded.AnyPort}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.server.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	d.config = filepath.Join(d.dir, "freshet.yaml")
	// Names of its own on servers that other tests use too.
	name := fmt.Sprintf("t%x", time.Now().UnixNano())
	yaml := fmt.Sprintf(`
data: %s
nats: {url: %s}
stores: {lexical: elasticsearch, vector: weaviate}
elasticsearch: {urls: ['%s'], prefix: %s}
weaviate: {url: %s, prefix: %s}
watcher: {rescan: 24h}
query: {channel_deadline: 20s, embed_deadline: 10s, report_wait: 2s}
sources:
  - {root: %s, name: %s}
`, filepath.Join(d.dir, "state"), d.server.ClientURL(), elastic, name, weaviate, strings.ToUpper(name[:1])+name[1:], d.root, source)
	if err := os.WriteFile(d.config, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	if d.cfg, err = config.Load(d.config); err != nil {
		t.Fatal(err)
	}
	if d.bus, err = bus.Connect(t.Context(), d.server.ClientURL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.bus.Close)
	if err := bus.EnsureStreams(t.Context(), d.bus); err != nil {
		t.Fatal(err)
	}
	_, build, err := rollout.Resolved(d.cfg)
	if err != nil {
		t.Fatal(err)
	}
	d.stores = d.opened(build)
	t.Cleanup(d.stop)
	return d
}

// opened are the stores of a build, which are dropped at the end.
func (d *deployment) opened(build contract.Build) open.Stores {
	d.t.Helper()
	stores, err := open.Open(open.FromConfig(d.cfg, build))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		for _, sinks := range stores {
			_ = sinks.Lexical.Drop(d.t.Context())
			_ = sinks.Vector.Drop(d.t.Context())
		}
		if err := stores.Close(); err != nil {
			d.t.Error(err)
		}
	})
	return stores
}

// start starts n processes of a service.
func (d *deployment) start(name string, n int) {
	d.t.Helper()
	for range n {
		p := &process{name: name, output: &bytes.Buffer{}, ended: make(chan struct{})}
		p.cmd = exec.Command(filepath.Join(programs, name), "--config", d.config)
		if name == "embedder" && d.socket != "" {
			p.cmd = countedEmbedder(d.t, d.socket, d.config)
		}
		p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
		if err := p.cmd.Start(); err != nil {
			d.t.Fatal(err)
		}
		go func() {
			defer close(p.ended)
			_ = p.cmd.Wait()
		}()
		d.mu.Lock()
		d.processes = append(d.processes, p)
		d.mu.Unlock()
	}
}

// stop ends every process and checks that each ends cleanly.
func (d *deployment) stop() {
	d.mu.Lock()
	all := d.processes
	d.processes = nil
	d.mu.Unlock()
	for _, p := range all {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, p := range all {
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			d.t.Errorf("the %s ended with %d:\n%s", p.name, code, tail(p.output.String()))
		} else if d.t.Failed() {
			d.t.Logf("%s said:\n%s", p.name, tail(p.output.String()))
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-3000):] }

// alive fails the test when a process is gone.
func (d *deployment) alive() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.processes {
		select {
		case <-p.ended:
			d.t.Fatalf("the %s ended by itself:\n%s", p.name, tail(p.output.String()))
		default:
		}
	}
}

func (d *deployment) write(path, content string) {
	d.t.Helper()
	full := filepath.Join(d.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// token has the tree looked at and returns the token that covers it. It waits
// for the watcher to be there.
func (d *deployment) token() document.Token {
	d.t.Helper()
	for {
		d.alive()
		rep, err := client.Announce.Ask(d.t.Context(), d.bus.Conn(), contract.Announce{Paths: []string{d.root}})
		switch document.KindOf(err) {
		case "":
			return rep.Token
		case document.Unavailable, document.Deadline:
			d.pause()
		default:
			d.t.Fatal(err)
		}
	}
}

// status waits for a query service to be there.
func (d *deployment) status() contract.StatusReply {
	d.t.Helper()
	for {
		d.alive()
		rep, err := client.Status.Ask(d.t.Context(), d.bus.Conn(), client.None)
		switch document.KindOf(err) {
		case "":
			return rep
		case document.Unavailable, document.Deadline:
			d.pause()
		default:
			d.t.Fatal(err)
		}
	}
}

// add makes a git repository and has it watched.
func (d *deployment) add(dir string) vulture.Place {
	d.t.Helper()
	if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		d.t.Fatalf("git init: %v\n%s", err, out)
	}
	list, err := client.AddSource.Ask(d.t.Context(), d.bus.Conn(), contract.SourceAdd{Root: dir})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, s := range list.Sources {
		if s.Root == dir {
			return vulture.Place{Source: s.Source, Dir: dir}
		}
	}
	d.t.Fatalf("%s is not among the sources %+v", dir, list.Sources)
	return vulture.Place{}
}

// pause is the time between two looks at something that nobody announces.
func (d *deployment) pause() {
	select {
	case <-time.After(100 * time.Millisecond):
	case <-d.t.Context().Done():
		d.t.Fatal("the test ended before what it waits for")
	}
}

// settle waits until everything that was written is shown by both sinks, and
// returns how long that took.
func (d *deployment) settle() time.Duration {
	d.t.Helper()
	start := time.Now()
	d.token()
	for {
		s := d.status()
		if s.Ready && len(s.Pending) == 0 {
			if len(s.Failed) > 0 {
				d.t.Errorf("dead letters: %+v", s.Failed)
			}
			return time.Since(start)
		}
		d.pause()
	}
}

// sweep compares the stores with the log and removes what is left over.
func (d *deployment) sweep() contract.SweepReply {
	d.t.Helper()
	r, err := client.Sweep.Ask(d.t.Context(), d.bus.Conn(), client.None)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// shows checks that a word is found at exactly these paths.
func (d *deployment) shows(token document.Token, word string, paths ...string) {
	d.t.Helper()
	rep, err := client.Search.Ask(d.t.Context(), d.bus.Conn(), contract.SearchRequest{Query: word, Token: token.String(), Text: contract.TextFull, DeadlineMS: 60_000})
	if err != nil {
		d.t.Fatalf("%s: %v", word, err)
	}
	if len(rep.Pending)+len(rep.Degraded) > 0 {
		d.t.Errorf("%s: pending %+v, degraded %q", word, rep.Pending, rep.Degraded)
	}
	got := map[string]bool{}
	for _, h := range rep.Hits {
		if strings.Contains(h.Text, word) {
			got[string(h.Path)] = true
		}
	}
	slices.Sort(paths)
	if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, paths) {
		d.t.Errorf("%s is found in %v, want %v", word, list, paths)
	}
}

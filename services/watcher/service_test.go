package watcher_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher"
)

// rig is a running watcher on a log of its own.
type rig struct {
	t    *testing.T
	bus  *bus.Bus
	cfg  watcher.Config
	stop func()
}

// watching is the default configuration with some roots.
func watching(roots ...string) watcher.Config {
	cfg := watcher.FromConfig(config.Default())
	cfg.Roots, cfg.Version = roots, "0.0.1"
	return cfg
}

func with(cfg watcher.Config, change func(*watcher.Config)) watcher.Config {
	change(&cfg)
	return cfg
}

// startRig runs a watcher on a new log.
func startRig(t *testing.T, cfg watcher.Config) *rig {
	t.Helper()
	r := &rig{t: t, bus: bustest.New(t), cfg: cfg}
	r.start()
	return r
}

// start runs the watcher and waits until every root was compared once.
func (r *rig) start() {
	r.t.Helper()
	r.run(func(s contract.SourceInfo) bool { return !s.Scanned.IsZero() || s.Held != "" })
}

// startUncompared waits until it answers only.
func (r *rig) startUncompared() {
	r.t.Helper()
	r.run(func(contract.SourceInfo) bool { return true })
}

// run runs the watcher and waits until every source that is watched is there.
func (r *rig) run(there func(contract.SourceInfo) bool) {
	r.t.Helper()
	svc, err := watcher.New(r.cfg, r.bus, slog.New(slog.NewTextHandler(&testLog{r.t}, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	go func() { done <- svc.Run(ctx) }()
	r.stop = func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Errorf("run: %v", err)
		}
		r.stop = func() {}
	}
	r.t.Cleanup(func() { r.stop() })
	eventually(r.t, func() error {
		select {
		case err := <-done:
			done <- err
			r.t.Fatalf("run ended: %v", err)
		default:
		}
		l, err := client.Sources.Ask(ctx, r.bus.Conn(), client.None)
		if err != nil {
			return err
		}
		for _, s := range l.Sources {
			if s.Watched && !there(s) {
				return fmt.Errorf("%s is not compared yet: %+v", s.Source, s)
			}
		}
		return nil
	})
}

type testLog struct{ t *testing.T }

func (l *testLog) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// eventually calls fn until it returns nil; go test's own limit ends it
// otherwise, and says what was missing.
func eventually(t *testing.T, fn func() error) {
	t.Helper()
	var last error
	for {
		err := fn()
		if err == nil {
			return
		}
		if last == nil || last.Error() != err.Error() {
			t.Log("waiting: ", err)
		}
		last = err
		select {
		case <-time.After(5 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(err)
		}
	}
}

// heads returns what the log shows of a source's view: the present documents,
// by path, with everything known so far in the table.
func (r *rig) heads(source document.Source, view document.View) map[string]contract.FileHead {
	r.t.Helper()
	last, err := r.bus.LastSeq(r.t.Context(), contract.StreamFiles)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.bus.Files().Wait(r.t.Context(), last); err != nil {
		r.t.Fatal(err)
	}
	out := map[string]contract.FileHead{}
	r.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Source == source && k.View == view && k.Doc != document.MarkerDoc {
			out[string(h.Path)] = h
		}
		return true
	})
	return out
}

// expect waits until the documents with content are exactly want, by path.
func (r *rig) expect(source document.Source, view document.View, want map[string]string) {
	r.t.Helper()
	eventually(r.t, func() error {
		got := map[string]string{}
		for path, h := range r.heads(source, view) {
			if h.Op == contract.OpPut {
				m, err := r.bus.Get(r.t.Context(), contract.StreamFiles, uint64(h.Version))
				if err != nil {
					return err
				}
				body, err := m.Body(r.t.Context())
				if err != nil {
					return err
				}
				if document.HashOf(body) != h.Hash {
					r.t.Errorf("%s: body and hash differ", path)
				}
				got[path] = string(body)
			}
		}
		if len(got) != len(want) {
			return fmt.Errorf("documents %q, want %q", keys(got), keys(want))
		}
		for path, text := range want {
			if got[path] != text {
				return fmt.Errorf("%s holds %q, want %q", path, got[path], text)
			}
		}
		return nil
	})
}

func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (r *rig) lastSeq() uint64 {
	r.t.Helper()
	seq, err := r.bus.LastSeq(r.t.Context(), contract.StreamFiles)
	if err != nil {
		r.t.Fatal(err)
	}
	return seq
}

func (r *rig) announce(req contract.Announce) contract.AnnounceReply {
	r.t.Helper()
	rep, err := client.Announce.Ask(r.t.Context(), r.bus.Conn(), req)
	if err != nil {
		r.t.Fatal(err)
	}
	return rep
}

func (r *rig) sources() map[document.Source]contract.SourceInfo {
	r.t.Helper()
	l, err := client.Sources.Ask(r.t.Context(), r.bus.Conn(), client.None)
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[document.Source]contract.SourceInfo{}
	for _, s := range l.Sources {
		out[s.Source] = s
	}
	return out
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// isolateGit keeps the machine's own git configuration out of a test.
func isolateGit(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Test\n\temail = test@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// folder returns a root of a chosen name, so that its slug is known.
func folder(t testing.TB, name string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	root = filepath.Join(root, name)
	must(t, os.Mkdir(root, 0o755))
	return root
}

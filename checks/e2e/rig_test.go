package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// rig is everything running in this process.
type rig struct {
	t      *testing.T
	data   string
	bus    *bus.Bus
	ready  contract.StatusReply
	cancel context.CancelFunc
	done   chan error
}

// up starts everything on a state folder and waits until what is there is
// searchable.
func up(t *testing.T, data string, roots ...string) *rig {
	t.Helper()
	return upWith(t, data, func(*freshet.Options) {}, roots...)
}

// upWith does the same with other options.
func upWith(t *testing.T, data string, change func(*freshet.Options), roots ...string) *rig {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.NATS.Port = data, 0
	// A channel that a busy machine delays is not left out of an answer.
	cfg.Query.ChannelDeadline, cfg.Query.EmbedDeadline = 20*time.Second, 10*time.Second
	// File events and git have to do it alone.
	cfg.Watcher.Rescan = 24 * time.Hour
	for _, root := range roots {
		cfg.Sources = append(cfg.Sources, config.Source{Root: root})
	}
	o := freshet.Options{Config: cfg}
	change(&o)
	if err := o.Config.Validate(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &rig{t: t, data: data, cancel: cancel, done: make(chan error, 1)}
	ready := make(chan freshet.Running, 1)
	go func() {
		o.Ready = func(run freshet.Running) { ready <- run }
		r.done <- freshet.Up(ctx, o)
	}()
	t.Cleanup(r.stop)
	select {
	case run := <-ready:
		r.ready = run.Status
		var err error
		if r.bus, err = bus.Connect(t.Context(), login(t, data, run.URL)); err != nil {
			t.Fatal(err)
		}
	case err := <-r.done:
		r.cancel = nil
		t.Fatalf("did not start: %v", err)
	case <-t.Context().Done():
		t.Fatal("did not get ready")
	}
	return r
}

// stop ends everything and waits for a clean end. It may be called again.
func (r *rig) stop() {
	if r.cancel == nil {
		return
	}
	if r.bus != nil {
		r.bus.Close()
	}
	r.cancel()
	r.cancel = nil
	if err := <-r.done; err != nil {
		r.t.Errorf("did not stop cleanly: %v", err)
	}
}

func (r *rig) url() string { return login(r.t, r.data, r.bus.Conn().ConnectedUrl()) }

// ask sends a request and fails the test on an error.
func ask[Req, Rep any](t *testing.T, b *bus.Bus, subject string, req Req) Rep {
	t.Helper()
	rep, err := rpc.Call[Req, Rep](t.Context(), b.Conn(), subject, req)
	if err != nil {
		t.Fatalf("%s: %v", subject, err)
	}
	return rep
}

// status asks again where a busy machine was late.
func (r *rig) status() contract.StatusReply {
	r.t.Helper()
	for {
		st, err := client.Status.Ask(r.t.Context(), r.bus.Conn(), client.None)
		switch {
		case err == nil:
			return st
		case document.KindOf(err) != document.Deadline || r.t.Context().Err() != nil:
			r.t.Fatal(err)
		}
	}
}

// look has paths looked at and returns the token that covers them.
func (r *rig) look(paths ...string) document.Token {
	r.t.Helper()
	return ask[contract.Announce, contract.AnnounceReply](r.t, r.bus, contract.SubjectAnnounce, contract.Announce{Paths: paths}).Token
}

// find searches with a token, which is waited for without a limit of its own.
func (r *rig) find(query, token string) contract.SearchReply {
	r.t.Helper()
	return r.search(contract.SearchRequest{Query: query, Token: token})
}

func (r *rig) search(req contract.SearchRequest) contract.SearchReply {
	r.t.Helper()
	req.Text, req.DeadlineMS = contract.TextFull, 60_000
	req.Off = append(req.Off, "fold") // the tests look for places, copies among them
	rep := ask[contract.SearchRequest, contract.SearchReply](r.t, r.bus, contract.SubjectSearch, req)
	if req.Token != "" && len(rep.Pending) > 0 {
		r.t.Errorf("%q with token %s: pending %+v", req.Query, req.Token, rep.Pending)
	}
	return rep
}

// found returns source/path of the hits whose text holds word.
func found(rep contract.SearchReply, word string) []string {
	out := []string{}
	for _, h := range rep.Hits {
		if strings.Contains(h.Text, word) {
			out = append(out, string(h.Source)+"/"+string(h.Path))
		}
	}
	return out
}

// shows checks that a word is found at exactly one place, or nowhere for "".
func (r *rig) shows(token, word, place string) {
	r.t.Helper()
	var want []string
	if place != "" {
		want = []string{place}
	}
	got := found(r.find(word, token), word)
	if strings.Join(got, " ") != strings.Join(want, " ") {
		r.t.Errorf("%q with token %s is found in %v, want %v", word, token, got, want)
	}
}

// seen waits until the log holds a version of a path that fits, without
// anything being announced.
func (r *rig) seen(source document.Source, path document.Path, fits func(contract.FileHead) bool) document.Token {
	r.t.Helper()
	table := r.bus.Files()
	if err := table.Ready(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	for {
		var head contract.FileHead
		after := table.Seen()
		table.Range(func(k bus.FileKey, h contract.FileHead) bool {
			if k.Source == source && h.Path == path && h.Version > head.Version {
				head = h
			}
			return true
		})
		if head.Version > 0 && fits(head) {
			token, err := r.bus.Tokens().Of(r.t.Context(), uint64(head.Version))
			if err != nil {
				r.t.Fatal(err)
			}
			return token
		}
		if err := table.Wait(r.t.Context(), after+1); err != nil {
			r.t.Fatal(err)
		}
	}
}

// holds fits a version with the given content.
func holds(content string) func(contract.FileHead) bool {
	return func(h contract.FileHead) bool { return h.Hash == document.HashOf([]byte(content)) }
}

// gone fits a delete.
func gone(h contract.FileHead) bool { return h.Op == contract.OpDelete }

// counts waits until a service has counted what it did, which it does a moment
// after others can see that, and checks that it was no more.
func (r *rig) counts(service, name string, want uint64) {
	r.t.Helper()
	n := r.counter(service, name)
	for n < want {
		n = r.counter(service, name)
	}
	if n > want {
		r.t.Errorf("the %s counts %d %s, want %d", service, n, name, want)
	}
}

// counter sums one counter of a service over its instances. It asks until one has told:
// on a busy machine a status does not wait for all.
func (r *rig) counter(service, name string) uint64 {
	r.t.Helper()
	for {
		sum, told := uint64(0), false
		for _, rep := range r.status().Reports {
			if rep.Service != service {
				continue
			}
			v, ok := rep.Counters[name]
			if !ok {
				r.t.Fatalf("the %s does not count %q", service, name)
			}
			sum, told = sum+v, true
		}
		if told {
			return sum
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goFile is a small Go file that one word finds.
func goFile(word string) string {
	return "package a\n\n// " + word + " is what this file is about.\nfunc " + word + "() int {\n\treturn 1\n}\n"
}

// git runs git without the user's configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// folder returns a new folder, named as the source that it becomes, with its
// symbolic links resolved.
func folder(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

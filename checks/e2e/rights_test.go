package e2e

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/evaluator"
	"github.com/freshet-dev/freshet/services/gateway"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
	"github.com/freshet-dev/freshet/services/watcher"
)

// refusals notes what a NATS server refuses its users.
type refusals struct {
	slog.Handler
	mu   sync.Mutex
	said []string
}

func (r *refusals) Enabled(context.Context, slog.Level) bool { return true }

func (r *refusals) Handle(_ context.Context, rec slog.Record) error {
	text := rec.Message
	rec.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	if strings.Contains(strings.ToLower(text), "permissions violation") {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = append(r.said, text)
	}
	return nil
}

// shared is every service in this process, each over a connection of its own
// user to the server of docker-compose.yml.
type shared struct {
	t      *testing.T
	remote func(user string) bus.Remote
	said   *refusals
	cfg    config.Config
	buses  map[string]*bus.Bus
	// page is where the gateway answers, with tokens of gatewaySecret.
	page string
}

const gatewaySecret bus.Secret = "what tokens are made of"

func (s *shared) connect(user string) *bus.Bus {
	s.t.Helper()
	r := s.remote(user)
	r.Log = slog.New(s.said) // what the server refuses of the user is told there
	b, err := r.Connect(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(b.Close)
	return b
}

// runner is what each service is.
type runner interface {
	Run(ctx context.Context) error
}

func (s *shared) start(root string) {
	t := s.t
	t.Helper()
	s.cfg = config.Default()
	s.cfg.Sources = []config.Source{{Root: root, Name: "tree"}}
	s.cfg.Query.ChannelDeadline, s.cfg.Query.EmbedDeadline = 20*time.Second, 20*time.Second
	models, err := embedders.Embedders(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	build, analyzer := rollout.Configured(s.cfg, models.Space), analysis.New()
	o := open.FromConfig(s.cfg, build)
	o.Dir = t.TempDir()
	stores, err := open.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stores.Close() })
	log := slog.New(slog.DiscardHandler)
	s.buses = map[string]*bus.Bus{}
	for _, r := range contract.ServiceRights {
		s.buses[r.Service] = s.connect(r.Service)
	}
	// Nobody but the watcher makes the log, and who only asks has nothing to do with it.
	ofLog := maps.Clone(s.buses)
	delete(ofLog, "gateway")
	delete(ofLog, "evaluator")
	for name, b := range ofLog {
		if err := bus.AwaitStreams(t.Context(), b); name != "watcher" && document.KindOf(err) != document.Unavailable {
			t.Errorf("the %s finds a log where there is none: %v", name, err)
		}
	}
	if err := bus.EnsureStreams(t.Context(), s.buses["watcher"]); err != nil {
		t.Fatal(err)
	}
	for name, b := range ofLog {
		if err := bus.AwaitStreams(t.Context(), b); err != nil {
			t.Fatalf("the %s does not find the log: %v", name, err)
		}
	}
	wc := watcher.FromConfig(s.cfg)
	wc.StateDir, wc.Version = t.TempDir(), "1.0.0"
	s.run("watcher", func() (runner, error) { return watcher.New(wc, s.buses["watcher"], log) })
	s.run("chunker", func() (runner, error) {
		return chunker.New(chunker.FromConfig(s.cfg, build), chunker.Deps{Bus: s.buses["chunker"], Log: log})
	})
	s.run("embedder", func() (runner, error) {
		return embedder.New(embedder.FromConfig(s.cfg, build), embedder.Deps{Bus: s.buses["embedder"], Embedders: models, Log: log, Version: "1.0.0"})
	})
	s.run("indexer", func() (runner, error) {
		return indexer.New(s.cfg.Indexer, indexer.Deps{
			Bus: s.buses["indexer"], Generations: stores, Analyzer: analyzer, Log: log, Version: "1.0.0",
			Chunker: contract.ChunkerConsumer(build.ID()),
		})
	})
	s.run("query", func() (runner, error) {
		c := query.FromConfig(s.cfg)
		c.Version = "1.0.0"
		return query.New(c, query.Deps{Bus: s.buses["query"], Stores: stores, Analyzer: analyzer, Build: build, Log: log})
	})
	s.run("evaluator", func() (runner, error) { return evaluator.New(s.buses["evaluator"], "1.0.0", log), nil })
	s.run("gateway", func() (runner, error) {
		c := gateway.FromConfig(s.cfg)
		c.Listen = "127.0.0.1:0"
		g, err := gateway.New(c, gateway.Deps{Conn: s.buses["gateway"].Conn(), Secret: gatewaySecret, Log: log})
		if err == nil {
			s.page = g.URL()
		}
		return g, err
	})
}

// run runs a service until the test ends.
func (s *shared) run(name string, create func() (runner, error)) {
	s.t.Helper()
	svc, err := create()
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- svc.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("the %s: %v", name, err)
		}
	})
}

// The whole does its work, from the first file to the removal of the source,
// and nobody tries what it has no right to.
func TestServicesOnASharedServer_HaveTheRightsTheyNeed(t *testing.T) {
	said := &refusals{Handler: slog.DiscardHandler}
	t.Cleanup(func() {
		said.mu.Lock()
		defer said.mu.Unlock()
		for _, text := range said.said {
			t.Error(text)
		}
	})
	root := t.TempDir()
	heron, large := filepath.Join(root, "heron.go"), filepath.Join(root, "large.txt")
	put(t, heron, "package birds\n\n// Heron stands in the reeds.\nfunc Heron() {}\n")
	s := &shared{t: t, remote: bustest.Shipped(t), said: said}
	s.start(root)
	s.answers(contract.SubjectSourcesList)
	s.answers(contract.SubjectStatus)
	s.shows(1, heron)
	put(t, large, "osprey\n"+noise()) // its body is an object
	s.shows(2, large)
	put(t, large, "osprey\n"+noise())
	s.shows(2, large)
	s.overHTTP("GET", "/api/v1/status", "", `"tree"`)
	s.overHTTP("POST", "/api/v1/token", "{}", `"token"`)
	s.overHTTP("POST", "/api/v1/search", `{"query":"heron"}`, "heron.go")
	s.answers(contract.SubjectGoldenList)
	s.overHTTP("POST", "/api/v1/golden", `{"source":"tree","query":"where does the heron stand","answers":[{"path":"heron.go"}]}`, `"where does the heron stand"`)
	s.overHTTP("POST", "/api/v1/evaluate", `{"arms":[{"name":"words","off":["vector"]}]}`, `"ranks":[1,1]`)
	s.overHTTP("POST", "/api/v1/evaluations", "{}", `"as configured"`)
	s.overHTTP("POST", "/api/v1/verify", "{}", `"summary"`)
	s.heardOverHTTP(root)
	admin := s.connect("admin")
	var last contract.VerifyPart
	err := rpc.CallStream(t.Context(), admin.Conn(), contract.SubjectVerify, contract.VerifyRequest{Repair: true}, func(p contract.VerifyPart) error {
		last = p
		return nil
	})
	if err != nil || last.Summary == nil || !last.Summary.Equal {
		t.Errorf("the comparison ended with %+v, %v", last.Summary, err)
	}
	if err := os.Remove(heron); err != nil {
		t.Fatal(err)
	}
	s.shows(1, heron)
	list := ask[contract.SourceRemove, contract.SourceList](t, admin, contract.SubjectSourcesRemove, contract.SourceRemove{Source: "tree"})
	if len(list.Sources) != 0 {
		t.Errorf("the source is still there: %+v", list)
	}
	if r := list.Receipt; r == nil || r.Bodies == 0 {
		t.Errorf("its bodies are still there: %+v", r)
	}
}

// get sends a request over HTTP as an admin, whose answer the caller closes.
func (s *shared) get(method, path, body string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.page+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+gateway.Token(gatewaySecret, contract.RoleAdmin))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// overHTTP checks what an answer has.
func (s *shared) overHTTP(method, path, body, want string) {
	s.t.Helper()
	resp := s.get(method, path, body)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(text), want) {
		s.t.Errorf("%s: %s %v\n%s\nwant %s", path, resp.Status, err, text, want)
	}
}

// heardOverHTTP changes a file and waits for the news of it.
func (s *shared) heardOverHTTP(root string) {
	s.t.Helper()
	resp := s.get("GET", "/api/v1/events/changes", "")
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, ": listening"):
			put(s.t, filepath.Join(root, "heard.txt"), "a reed warbler\n")
		case strings.HasPrefix(line, "data: ") && strings.Contains(line, "heard.txt"):
			if err := os.Remove(filepath.Join(root, "heard.txt")); err != nil {
				s.t.Fatal(err)
			}
			return
		}
	}
	s.t.Errorf("the news ended: %v", lines.Err())
}

// answers waits until somebody does on a subject.
func (s *shared) answers(subject string) {
	s.t.Helper()
	nc := s.connect("admin").Conn()
	for {
		_, err := rpc.Call[struct{}, json.RawMessage](s.t.Context(), nc, subject, struct{}{})
		if err == nil {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-s.t.Context().Done():
			s.t.Fatalf("nobody answers on %s: %v", subject, err)
		}
	}
}

// shows checks how many documents an answer has that includes a change.
func (s *shared) shows(want int, changed string) {
	s.t.Helper()
	token := ask[contract.Announce, contract.AnnounceReply](s.t, s.connect("announce"), contract.SubjectAnnounce, contract.Announce{Paths: []string{changed}}).Token
	reply := ask[contract.SearchRequest, contract.SearchReply](s.t, s.connect("ask"), contract.SubjectSearch,
		contract.SearchRequest{Query: "heron osprey reeds", Token: token.String(), DeadlineMS: 60_000})
	found := map[document.Path]bool{}
	for _, h := range reply.Hits {
		found[h.Path] = true
	}
	if len(found) != want || len(reply.Degraded)+len(reply.Pending)+len(reply.Failed) > 0 {
		s.t.Errorf("%v are found, want %d: %v %v %v", found, want, reply.Degraded, reply.Pending, reply.Failed)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// noise is a text of lines that cannot be packed below 512 KiB.
func noise() string {
	raw := make([]byte, 600<<10)
	_, _ = rand.Read(raw)
	var b strings.Builder
	for line := range slices.Chunk(raw, 57) {
		b.WriteString(base64.StdEncoding.EncodeToString(line) + "\n")
	}
	return b.String()
}

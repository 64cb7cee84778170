package apart

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	proc "github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
)

// quiet is how long nobody may work on a build before it is taken away here: as long
// as everybody who works on it answers once more often than not.
const quiet = 3 * time.Second

// team is a deployment whose configuration changes while it runs: watcher, chunkers and
// embedders are processes; indexers and query services run in the test's, since they
// share embedded stores.
type team struct {
	t      *testing.T
	at     string // the NATS server
	root   string
	config string
	bus    *bus.Bus

	watcher *process

	deadline int // of a question with a token, in ms

	mu     sync.Mutex
	stores map[document.Generation]store.Sinks
}

// shared is a store that many use and nobody closes.
type shared struct{ store.Lexical }

func (shared) Close() error { return nil }

type sharedVectors struct{ store.Vector }

func (sharedVectors) Close() error { return nil }

// open opens the stores of generations, each once.
func (m *team) open(o open.Options) (open.Stores, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.stores[o.Generations[0]]; !ok {
		o.Stores = config.Stores{Lexical: config.Embedded, Vector: config.Embedded}
		o.Dir = filepath.Join(m.t.TempDir(), "stores")
		opened, err := open.Open(o)
		if err != nil {
			return nil, err
		}
		m.t.Cleanup(func() { _ = opened.Close() })
		maps.Copy(m.stores, opened)
	}
	out := open.Stores{}
	for _, g := range o.Generations {
		out[g] = store.Sinks{Lexical: shared{m.stores[g].Lexical}, Vector: sharedVectors{m.stores[g].Vector}}
	}
	return out, nil
}

// crew are one process of each service that has a build, all with one configuration.
type crew struct {
	apart  []*process
	within []*instance
}

// instance is a service within the test's process.
type instance struct {
	name string
	end  context.CancelFunc
	done chan struct{}
	err  error
}

func newTeam(t *testing.T, documents int) *team {
	t.Helper()
	m := &team{t: t, root: t.TempDir(), deadline: 20_000, stores: map[document.Generation]store.Sinks{}}
	for n := range documents {
		m.write(n, "first")
	}
	m.config = configure(t, m.root)
	_, m.at = natsAt(t, t.TempDir(), strconv.Itoa(embedded.AnyPort))
	var err error
	if m.bus, err = bus.Connect(t.Context(), m.at); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.bus.Close)
	m.watch()
	return m
}

// watch starts a watcher, with the configuration of now.
func (m *team) watch() {
	m.t.Helper()
	m.watcher = start(m.t, "watcher", m.config, "FRESHET_NATS_URL="+m.at)
	m.watcher.ready()
}

// word is what only one version of a document has.
func word(n int, version string) string { return fmt.Sprintf("bird%d%sx", n, version) }

func (m *team) write(n int, version string) {
	m.t.Helper()
	write(m.t, m.root, fmt.Sprintf("bird-%d.md", n), "# "+word(n, version)+"\n\n"+strings.Repeat("It stands in the reeds and looks at the water for a long time. ", 60)+"\n")
}

// crew starts one of each service, for passages of a size.
func (m *team) crew(target int, services ...string) *crew {
	m.t.Helper()
	size := "FRESHET_CHUNKER_TARGET=" + strconv.Itoa(target)
	c := &crew{}
	for _, name := range services {
		if name == "chunker" || name == "embedder" {
			p := start(m.t, name, m.config, "FRESHET_NATS_URL="+m.at, size)
			p.ready()
			c.apart = append(c.apart, p)
			continue
		}
		c.within = append(c.within, m.within(name, size))
	}
	return c
}

var all = []string{"chunker", "embedder", "indexer", "query"}

// within runs a service in this process, over a connection of its own.
func (m *team) within(name, size string) *instance {
	m.t.Helper()
	key, value, _ := strings.Cut(size, "=")
	cfg, err := config.Load(m.config, key+"="+value, "FRESHET_NATS_URL="+m.at)
	if err != nil {
		m.t.Fatal(err)
	}
	b, err := bus.Connect(m.t.Context(), m.at)
	if err != nil {
		m.t.Fatal(err)
	}
	env := &proc.Env{Config: cfg, Bus: b, Log: slog.New(slog.NewTextHandler(m.t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo})).With("service", name, "size", value)}
	var s proc.Service
	if name == "indexer" {
		s, err = indexer.Process(env, indexer.Shared{Open: m.open, Quiet: quiet})
	} else {
		s, err = query.Process(env, m.open)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	i := &instance{name: name, end: end, done: make(chan struct{})}
	go func() {
		defer close(i.done)
		defer b.Close()
		if i.err = s.Run(ctx); errors.Is(i.err, context.Canceled) {
			i.err = nil
		}
	}()
	m.t.Cleanup(func() { end(); <-i.done })
	for s.Ready(m.t.Context()) != nil {
		m.pause(i)
	}
	return i
}

func (m *team) pause(instances ...*instance) {
	m.t.Helper()
	for _, i := range instances {
		select {
		case <-i.done:
			m.t.Fatalf("the %s has ended: %v", i.name, i.err)
		default:
		}
	}
	select {
	case <-time.After(20 * time.Millisecond):
	case <-m.t.Context().Done():
		m.t.Fatal("the test ended before what it waits for")
	}
}

// stop ends all of a crew, one after the other.
func (m *team) stop(c *crew) {
	m.t.Helper()
	for _, p := range c.apart {
		p.stop(syscall.SIGTERM, 0)
	}
	for _, i := range c.within {
		i.end()
		<-i.done
		if i.err != nil {
			m.t.Errorf("the %s ends with %v", i.name, i.err)
		}
	}
}

func (m *team) status() contract.StatusReply {
	m.t.Helper()
	for {
		rep, err := client.Status.Ask(m.t.Context(), m.bus.Conn(), client.None)
		switch document.KindOf(err) {
		case "":
			return rep
		case document.Unavailable, document.Deadline:
			m.pause()
		default:
			m.t.Fatal(err)
		}
	}
}

func (m *team) until(what string, fn func(contract.StatusReply) bool) contract.StatusReply {
	m.t.Helper()
	for {
		s := m.status()
		if fn(s) {
			return s
		}
		if m.t.Context().Err() != nil {
			m.t.Fatalf("waiting for %s: %+v", what, s)
		}
		m.pause()
	}
}

func (m *team) ready() contract.StatusReply {
	m.t.Helper()
	return m.until("all to be searchable", func(s contract.StatusReply) bool { return s.Ready && len(s.Pending) == 0 })
}

// found asks for a document by its word. It is found, or listed as pending: nothing
// is missing without a word.
func (m *team) found(token string, n int, version string) {
	m.t.Helper()
	for {
		rep, err := client.Search.Ask(m.t.Context(), m.bus.Conn(), contract.SearchRequest{Query: word(n, version), Token: token, Text: contract.TextFull, DeadlineMS: m.deadline})
		switch document.KindOf(err) {
		case "":
		case document.Unavailable, document.Deadline:
			m.pause() // nobody has answered
			continue
		default:
			m.t.Errorf("%s: %v", word(n, version), err)
			return
		}
		path := fmt.Sprintf("bird-%d.md", n)
		for _, h := range rep.Hits {
			if string(h.Path) == path && strings.Contains(h.Text, word(n, version)) {
				return
			}
		}
		if !slices.ContainsFunc(rep.Pending, func(p contract.PendingPath) bool { return string(p.Path) == path }) {
			m.t.Errorf("%s is not found, and not pending: %+v", word(n, version), rep)
		}
		return
	}
}

// asking asks and edits until the returned function is called.
func (m *team) asking(documents int) (end func()) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			kept, edited := n%(documents/2), documents/2+n%(documents/2)
			m.found("", kept, "first")
			version := "v" + strconv.Itoa(n)
			m.write(edited, version)
			rep, err := client.Announce.Ask(m.t.Context(), m.bus.Conn(), contract.Announce{Paths: []string{m.root}})
			if err != nil {
				if k := document.KindOf(err); k != document.Unavailable && k != document.Deadline {
					m.t.Errorf("announce: %v", err)
				}
				continue
			}
			m.found(rep.Token.String(), edited, version)
		}
	})
	return func() { close(stop); wg.Wait() }
}

// serves returns which build answers are made of.
func (m *team) serves() contract.BuildID {
	m.t.Helper()
	s, err := bus.BuildsOf(m.bus).Serving(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return s.Build
}

// alone waits until outputs, consumers and records are left of one build only.
func (m *team) alone(id contract.BuildID) {
	m.t.Helper()
	for {
		var others []string
		generations, err := bus.GenerationsOf(m.bus).Others(m.t.Context(), nil)
		if err != nil {
			m.t.Fatal(err)
		}
		for g := range generations {
			others = append(others, string(g))
		}
		for _, stream := range append(slices.Clone(contract.Streams), contract.KeyStream(contract.BucketMeta)) {
			s, err := m.bus.JetStream().Stream(m.t.Context(), stream)
			if err != nil {
				m.t.Fatal(err)
			}
			for name := range s.ConsumerNames(m.t.Context()).Name() {
				if slices.ContainsFunc(contract.Stages, func(st contract.Stage) bool { return strings.HasPrefix(name, string(st)+"-") }) {
					others = append(others, name)
				}
			}
		}
		noted, err := m.bus.JetStream().KeyValue(m.t.Context(), contract.BucketMeta)
		if err != nil {
			m.t.Fatal(err)
		}
		keys, err := noted.ListKeysFiltered(m.t.Context(), "build.*", "superseded.*")
		if err != nil {
			m.t.Fatal(err)
		}
		for key := range keys.Keys() {
			others = append(others, key)
		}
		others = slices.DeleteFunc(others, func(name string) bool {
			return strings.HasSuffix(name, string(id)) && !strings.HasPrefix(name, "superseded.") || strings.Contains(name, "-"+string(id)+"-")
		})
		if len(others) == 0 {
			return
		}
		if m.t.Context().Err() != nil {
			m.t.Fatalf("of others there are %v", others)
		}
		m.pause()
	}
}

// equal fails the test where the folder, the log and the stores differ.
func (m *team) equal() {
	m.t.Helper()
	err := client.Verify.Each(m.t.Context(), m.bus.Conn(), contract.VerifyRequest{}, func(p contract.VerifyPart) error {
		if p.Difference != nil {
			m.t.Errorf("%+v", *p.Difference)
		}
		if s := p.Summary; s != nil && (!s.Equal || s.Pending > 0) {
			m.t.Errorf("compared: %+v", *s)
		}
		return nil
	})
	if err != nil {
		m.t.Error(err)
	}
}

const someBirds = 20

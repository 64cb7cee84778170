package servers

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// shared are the servers that all tests of one process use.
var shared struct {
	sync.Mutex
	running bool   // between the start and the end of Run
	dir     string // "" until the first server is asked for
	started map[string]start
}

// start is how the one start of a shared server went.
type start struct {
	server *Server
	err    error
}

// Run runs the tests of a package and then ends the servers that ElasticURL and
// WeaviateURL started, and returns what os.Exit takes:
//
//	func TestMain(m *testing.M) { os.Exit(servers.Run(m)) }
func Run(m *testing.M) int {
	shared.Lock()
	shared.running = true
	shared.Unlock()
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	shared.running = false
	for _, s := range shared.started {
		if s.server != nil {
			s.server.Close()
		}
	}
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir) // the system clears its temporary folder
	}
	return code
}

// ElasticURL is the address of the Elasticsearch that ELASTIC_URL names, or else
// of one that all tests of this process share and the first call starts. A test
// gives its indexes names of its own and leaves the others alone. The package's
// TestMain has to call Run.
func ElasticURL(t testing.TB) string {
	t.Helper()
	return share(t, elasticsearch)
}

// WeaviateURL is what ElasticURL is, for Weaviate.
func WeaviateURL(t testing.TB) string {
	t.Helper()
	return share(t, weaviate)
}

func share(t testing.TB, k kind) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.running {
		t.Fatal("the package's TestMain does not call servers.Run")
	}
	first, ok := shared.started[k.name]
	if !ok {
		first.server, first.err = startShared(k)
		if shared.started == nil {
			shared.started = map[string]start{}
		}
		shared.started[k.name] = first
	}
	if first.err != nil {
		t.Fatal(first.err)
	}
	return first.server.URL()
}

func startShared(k kind) (*Server, error) {
	if shared.dir == "" {
		dir, err := os.MkdirTemp("", "freshet-servers-")
		if err != nil {
			return nil, err
		}
		shared.dir = dir
	}
	// It outlives the test that asked first.
	return open(context.Background(), k, filepath.Join(shared.dir, k.name), nil)
}

// OwnElasticsearch starts an Elasticsearch for one test, which may do to it
// whatever it likes; it is gone when the test ends. Such a test carries the build
// tag `control` beside `servers`, since it fails where ELASTIC_URL is set.
func OwnElasticsearch(t testing.TB, settings ...string) *Server {
	t.Helper()
	return own(t, elasticsearch, settings)
}

// OwnWeaviate is what OwnElasticsearch is, for Weaviate and WEAVIATE_URL.
func OwnWeaviate(t testing.TB, settings ...string) *Server {
	t.Helper()
	return own(t, weaviate, settings)
}

func own(t testing.TB, k kind, settings []string) *Server {
	t.Helper()
	s, err := open(t.Context(), k, t.TempDir(), settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ours("one test's own"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", k.name, tail(s.Log()))
		}
		s.Close()
	})
	return s
}

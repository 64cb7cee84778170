//go:build servers

package elastic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/elastic"
	"github.com/freshet-dev/freshet/pkg/store/storetest"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Run(m)) }

// config is that of the store that stands for dir.
func config(t testing.TB, dir string) elastic.Config {
	t.Helper()
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir)) // never fails
	return elastic.Config{Timeout: time.Minute, URLs: []string{servers.ElasticURL(t)}, Prefix: "freshet-test", Name: fmt.Sprintf("%d-%x", os.Getpid(), h.Sum64())}
}

func alias(cfg elastic.Config) string { return cfg.Prefix + "-" + cfg.Name }

func open(t testing.TB, dir string) *elastic.Store { return openWith(t, config(t, dir)) }

func openWith(t testing.TB, cfg elastic.Config) *elastic.Store {
	t.Helper()
	s, err := elastic.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// raw does to the server what somebody else might; it returns the status and
// what was answered.
func raw(t testing.TB, method, path, body string) (int, map[string]any) {
	t.Helper()
	// Clean-up runs when t.Context() is over.
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), method, servers.ElasticURL(t)+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s %s: %s", method, path, text)
	}
	return resp.StatusCode, answer
}

// must is raw for what has to succeed.
func must(t testing.TB, method, path, body string) map[string]any {
	t.Helper()
	status, answer := raw(t, method, path, body)
	if status != http.StatusOK && status != http.StatusCreated {
		t.Fatalf("%s %s: %d %v", method, path, status, answer)
	}
	return answer
}

// merge leaves one segment in an index.
func merge(t testing.TB, index string) {
	t.Helper()
	must(t, http.MethodPost, "/"+index+"/_forcemerge?max_num_segments=1", "")
	must(t, http.MethodPost, "/"+index+"/_refresh", "")
}

// forget waits until deleted chunks are gone from the statistics. The server
// keeps them for replicas that might ask until it notices that there are none,
// which it does twice a minute.
func forget(t testing.TB, index string) {
	t.Helper()
	for tick := time.Tick(time.Second); ; {
		must(t, http.MethodPost, "/"+index+"/_flush", "")
		merge(t, index)
		docs := must(t, http.MethodGet, "/"+index+"/_stats/docs?filter_path=_all.primaries.docs.deleted", "")
		if fmt.Sprint(docs) == "map[_all:map[primaries:map[docs:map[deleted:0]]]]" {
			return
		}
		select {
		case <-tick:
		case <-t.Context().Done():
			t.Fatal("deleted chunks stay in the statistics")
		}
	}
}

func TestConformance(t *testing.T) {
	aliases := map[store.Lexical]string{}
	storetest.Lexical(t, func(t testing.TB, dir string) store.Lexical {
		s := open(t, dir)
		aliases[s] = alias(config(t, dir))
		return s
	}, func(t testing.TB, s store.Lexical) { forget(t, aliases[s]) })
}

// Package web proves that what people and programs reach over HTTP is what its
// description says, and that nobody is let in who should not be: on the whole
// program, as it runs.
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/freshet"
	"github.com/freshet-dev/freshet/services/gateway"
)

func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	os.Exit(m.Run())
}

// site is a running freshet with a page.
type site struct {
	t      *testing.T
	url    string
	nats   string
	secret bus.Secret
	stop   func() error
}

// start runs a freshet over a folder with two files, as set changes it.
func start(t *testing.T, set func(*config.Config)) *site {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.NATS.Port, cfg.Gateway.Listen = filepath.Join(t.TempDir(), "state"), 0, "127.0.0.1:0"
	folder := filepath.Join(t.TempDir(), "birds")
	for name, text := range map[string]string{
		"heron.go": "package birds\n\n// Heron stands in shallow water and waits.\nfunc Heron() string { return \"fish\" }\n",
		"ibis.md":  "# Ibis\n\nThe ibis nests in reeds.\n",
	} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Sources = []config.Source{{Root: folder}}
	if set != nil {
		set(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan freshet.Running, 1), make(chan error, 1)
	go func() {
		done <- freshet.Up(ctx, freshet.Options{Config: cfg, Reload: func() (config.Config, error) { return cfg, nil }, Ready: func(r freshet.Running) { ready <- r }})
	}()
	s := &site{t: t}
	ended := false
	s.stop = func() error {
		cancel()
		if ended {
			return nil
		}
		ended = true
		return <-done
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	select {
	case r := <-ready:
		s.url, s.nats = r.Page, bus.HideUser(r.URL)
	case err := <-done:
		ended = true
		t.Fatalf("it ended: %v", err)
	}
	var err error
	if s.secret, err = bus.ReadSecret(filepath.Join(cfg.Data, "secret")); err != nil {
		t.Fatal(err)
	}
	return s
}

// answer is what a request led to.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// failure is the error in it.
func (a answer) failure(t *testing.T) contract.ErrorReply {
	t.Helper()
	var e contract.ErrorReply
	if err := json.Unmarshal(a.body, &e); err != nil {
		t.Fatalf("%d is no error of the contract: %s", a.code, a.body)
	}
	return e
}

func (s *site) request(method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (s *site) do(r *http.Request) answer {
	s.t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, bytes.TrimSpace(body)}
}

// as asks with the token of a role; "" is a stranger.
func (s *site) as(role contract.Role, method, path, body string, headers ...string) answer {
	s.t.Helper()
	r := s.request(method, path, body, headers...)
	if role != "" {
		r.Header.Set("Authorization", "Bearer "+gateway.Token(s.secret, role))
	}
	return s.do(r)
}

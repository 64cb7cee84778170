// Package servers starts a real Elasticsearch and a real Weaviate for tests,
// without containers, and controls them: stop, start again, kill, wipe, put back
// to an older copy. `make servers-build` builds both into a cache folder; the
// folder deploy/servers says from what.
//
// Where WEAVIATE_URL or ELASTIC_URL is set, that server is used instead of one
// that is started here. It cannot be controlled and may hold data of others, so
// tests that need control, or a server of their own, carry the build tags
// `servers` and `control`; those that need only a URL carry `servers` alone.
//
// The package is for tests and stands outside the product.
package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// pollEvery is how often a starting server is asked whether it is ready. It is
// asked on the loopback address, where a question costs well under 1 ms.
const pollEvery = 50 * time.Millisecond

// settleWithin is how long a server that the environment names may take to end
// what it works at.
const settleWithin = 30 * time.Second

// A Server is one server process on the loopback address, with its data in a
// folder. Its methods are for one goroutine at a time, except URL and Log.
type Server struct {
	kind     kind
	dir      string
	settings []string
	ports    *ports
	proc     *process // nil while stopped
	url      string
	given    bool // by the environment, so it is not ours to control
}

// kind is what distinguishes the two servers.
type kind struct {
	name     string
	variable string                   // of the environment, for the URL of one that runs already
	health   string                   // path that answers 200 when the server is ready
	settled  func(health []byte) bool // of what that answers; nil where 200 says it all
	// command is ready to be started, for the data in dir, on those ports and with
	// further settings.
	command func(build, dir string, p *ports, settings []string) (*exec.Cmd, error)
}

// open returns the server that the environment names, or starts one.
func open(ctx context.Context, k kind, dir string, settings []string) (*Server, error) {
	if url := os.Getenv(k.variable); url != "" {
		s := &Server{kind: k, url: strings.TrimRight(url, "/"), given: true}
		if len(settings) > 0 {
			return nil, s.ours("given settings")
		}
		if err := s.answers(ctx); err != nil {
			return nil, document.Errorf(document.Unavailable, "%s=%s does not answer as a ready %s; start it, or unset %s to use one that is started here: %w",
				k.variable, url, k.name, k.variable, err)
		}
		return s, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the folder of %s: %w", k.name, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder of %s: %w", k.name, err)
	}
	p, err := reserve()
	if err != nil {
		return nil, err
	}
	s := &Server{kind: k, dir: dir, settings: settings, ports: p, url: fmt.Sprintf("http://127.0.0.1:%d", p.at(1))}
	if err := s.Start(ctx); err != nil {
		p.release()
		return nil, err
	}
	return s, nil
}

// URL is where the server answers, without a slash at its end. It stays the same
// from the first start to Close.
func (s *Server) URL() string { return s.url }

// Log is the file into which the server writes, over all its starts.
func (s *Server) Log() string { return filepath.Join(s.dir, "server.log") }

// Start starts a stopped server on the same port and data, and returns when it
// is ready, or with an error when it ended or ctx did.
func (s *Server) Start(ctx context.Context) error {
	if err := s.stopped("started"); err != nil {
		return err
	}
	build, err := built(s.kind.name)
	if err != nil {
		return err
	}
	cmd, err := s.kind.command(build, s.dir, s.ports, s.settings)
	if err != nil {
		return err
	}
	if s.proc, err = launch(cmd, s.Log()); err != nil {
		return fmt.Errorf("start %s: %w", s.kind.name, err)
	}
	if err := s.ready(ctx); err != nil {
		s.proc.kill()
		s.proc = nil
		return document.Errorf(document.Unavailable, "%s does not start: %w; the end of %s:\n%s", s.kind.name, err, s.Log(), tail(s.Log()))
	}
	return nil
}

// ready waits until the server says that it is ready.
func (s *Server) ready(ctx context.Context) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := s.ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w, and its last answer was: %w", ctx.Err(), err)
		case <-s.proc.done:
			return fmt.Errorf("the process ended by itself (%s)", s.proc.cmd.ProcessState)
		case <-tick.C:
		}
	}
}

// ask returns nil if the server is ready.
func (s *Server) ask(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+s.kind.health, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // nothing is lost with it
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	if s.kind.settled != nil && !s.kind.settled(body) {
		return fmt.Errorf("%w: %s", errUnsettled, strings.TrimSpace(string(body)))
	}
	return nil
}

// errUnsettled is told of a server that answers and still has work of its own.
var errUnsettled = errors.New("not settled")

// answers returns nil once a server that the environment names is ready. Any
// moment finds one that works at something, so it may take the time to end that;
// one that does not answer at all is not waited for.
func (s *Server) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := s.ask(ctx)
		if !errors.Is(err, errUnsettled) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// Stop ends the server as an operator would, and returns when it is gone. If
// ctx ends first, the server is killed and ctx's error returned.
func (s *Server) Stop(ctx context.Context) error {
	if err := s.running("stopped"); err != nil {
		return err
	}
	err := s.proc.stop(ctx)
	s.proc = nil
	if err != nil {
		return fmt.Errorf("stop %s: %w", s.kind.name, err)
	}
	return nil
}

// Kill ends the server as a power button would, and returns when it is gone.
func (s *Server) Kill() error {
	if err := s.running("killed"); err != nil {
		return err
	}
	s.proc.kill()
	s.proc = nil
	return nil
}

// Close kills a server that was started here and gives its ports back. The
// folder stays; it is the caller's. It may be called again.
func (s *Server) Close() {
	if s.given {
		return
	}
	if s.proc != nil {
		s.proc.kill()
		s.proc = nil
	}
	s.ports.release()
}

// ours returns an error for a server that the environment named.
func (s *Server) ours(what string) error {
	if s.given {
		return document.Errorf(document.InvalidRequest, "%s is set to %s, and a server that was not started here cannot be %s; unset %s to run this test",
			s.kind.variable, s.url, what, s.kind.variable)
	}
	return nil
}

func (s *Server) running(what string) error {
	if err := s.ours(what); err != nil {
		return err
	}
	if s.proc == nil {
		return document.Errorf(document.Conflict, "%s is stopped and cannot be %s; start it first", s.kind.name, what)
	}
	return nil
}

func (s *Server) stopped(what string) error {
	if err := s.ours(what); err != nil {
		return err
	}
	if s.proc != nil {
		return document.Errorf(document.Conflict, "%s is running and cannot be %s; stop it first", s.kind.name, what)
	}
	return nil
}

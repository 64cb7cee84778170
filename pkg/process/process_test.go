package process_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/process"
)

// service does nothing until it is stopped.
type service struct {
	running chan struct{}
	stopped chan struct{}
	drain   func() error // may be nil
	mu      sync.Mutex
	ready   error
}

func newService() *service {
	return &service{running: make(chan struct{}), stopped: make(chan struct{})}
}

func (s *service) Run(ctx context.Context) error {
	close(s.running)
	<-ctx.Done()
	defer close(s.stopped)
	if s.drain != nil {
		return s.drain()
	}
	return ctx.Err()
}

func (s *service) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = err
}

func (s *service) Ready(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// output is what a program writes while it runs.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newOutput() *output { return &output{more: make(chan struct{}, 1)} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default:
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// find waits until what was written matches, and returns the first group.
func (o *output) find(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for {
		if m := re.FindStringSubmatch(o.String()); m != nil {
			return m[len(m)-1]
		}
		select {
		case <-o.more:
		case <-t.Context().Done():
			t.Fatalf("nothing matches %s in\n%s", pattern, o)
		}
	}
}

// start runs a program in the test's process. A signal to that is one to the
// program.
func start(s *service, args ...string) (log *output, exit chan int) {
	log, exit = newOutput(), make(chan int, 1)
	p := process.Program{Name: "heron", MakesLog: true, Open: func(*process.Env) (process.Service, error) { return s, nil }}
	go func() { exit <- p.Main(args, io.Discard, log) }()
	return log, exit
}

func signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// natsServer starts a server on a free port.
func natsServer(t *testing.T) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(embedded.Config{Dir: t.TempDir(), Port: embedded.AnyPort})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Shutdown() })
	return s
}

func TestHealth_TellsTheTruth(t *testing.T) {
	// A port that nobody listens on yet.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FRESHET_NATS_URL", "nats://"+ln.Addr().String())
	t.Setenv("FRESHET_HEALTH_LISTEN", "127.0.0.1:0")
	s := newService()
	draining, drained := make(chan struct{}), make(chan struct{})
	s.drain = func() error { close(draining); <-drained; return nil }
	log, exit := start(s, "--log", "info")
	at := "http://" + log.find(t, `health=(127\.0\.0\.1:\d+)`)
	expect := func(path string, code int, part string) {
		t.Helper()
		if got, body := get(t, at+path); got != code || !strings.Contains(body, part) || strings.Count(body, "\n") != 1 {
			t.Errorf("%s is %d: %q", path, got, body)
		}
	}

	log.find(t, `msg=waiting service=heron for="(no NATS server answers at nats://127\.0\.0\.1:\d+[^"]*)"`)
	expect("/healthz", 200, "alive")
	expect("/readyz", 503, "no NATS server answers at "+os.Getenv("FRESHET_NATS_URL"))

	server, err := embedded.Start(embedded.Config{Dir: t.TempDir(), Port: port})
	if err != nil {
		t.Fatal(err)
	}
	<-s.running
	expect("/readyz", 200, "ready")
	s.set(document.Errorf(document.Unavailable, "no heron is in sight"))
	expect("/readyz", 503, "no heron is in sight")
	s.set(context.DeadlineExceeded)
	expect("/readyz", 503, "still reading the log")
	s.set(nil)
	expect("/readyz", 200, "ready")
	if err := server.Shutdown(); err != nil {
		t.Fatal(err)
	}
	log.find(t, `connection to NATS (lost)`)
	expect("/readyz", 503, "lost its connection to NATS")
	expect("/healthz", 200, "alive")

	signal(t, syscall.SIGTERM)
	<-draining
	expect("/readyz", 503, "stopping")
	close(drained)
	if code := <-exit; code != process.ExitDone {
		t.Errorf("exit %d:\n%s", code, log)
	}
	if c, err := net.Dial("tcp", strings.TrimPrefix(at, "http://")); err == nil {
		_ = c.Close()
		t.Error("health is told when the process has ended")
	}
	if n := strings.Count(log.String(), "msg=waiting"); n != 1 {
		t.Errorf("it says %d times that it waits:\n%s", n, log)
	}
}

func TestSecondSignal_EndsTheDrain(t *testing.T) {
	t.Setenv("FRESHET_NATS_URL", natsServer(t).ClientURL())
	s, free := newService(), make(chan struct{})
	s.drain = func() error { <-free; return nil }
	log, exit := start(s, "--log", "info")
	<-s.running
	signal(t, syscall.SIGTERM)
	signal(t, syscall.SIGINT)
	if code := <-exit; code != process.ExitInterrupted {
		t.Errorf("exit %d:\n%s", code, log)
	}
	close(free)
	<-s.stopped
}

// A stop while there is no server yet is a clean one.
func TestServiceThatWaits_CanBeStopped(t *testing.T) {
	t.Setenv("FRESHET_NATS_URL", "nats://127.0.0.1:1")
	log, exit := start(newService())
	log.find(t, `msg=(waiting)`)
	signal(t, syscall.SIGTERM)
	if code := <-exit; code != process.ExitDone {
		t.Errorf("exit %d:\n%s", code, log)
	}
}

func TestServiceThatEndsByItself_IsAnError(t *testing.T) {
	t.Setenv("FRESHET_NATS_URL", natsServer(t).ClientURL())
	for name, err := range map[string]error{
		"the heron stopped by itself": nil,
		"no more herons":              document.Errorf(document.Unavailable, "no more herons"),
	} {
		log := newOutput()
		closed := false
		p := process.Program{Name: "heron", MakesLog: true, Open: func(e *process.Env) (process.Service, error) {
			e.OnStop(func() error { closed = true; return nil })
			return ends{err}, nil
		}}
		if code := p.Main(nil, io.Discard, log); code != process.ExitError || log.String() != "heron: "+name+"\n" || !closed {
			t.Errorf("exit %d, closed %t: %q", code, closed, log)
		}
	}
}

type ends struct{ err error }

func (e ends) Run(context.Context) error   { return e.err }
func (e ends) Ready(context.Context) error { return nil }

func TestWrongStart_IsExplained(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, c := range []struct {
		args, env []string
		parts     []string
	}{
		{nil, nil, []string{"nats.url is missing", "FRESHET_NATS_URL=nats://HOST:4222"}},
		{[]string{"--colour"}, nil, []string{"-colour", "heron --help"}},
		{[]string{"/srv"}, nil, []string{`"/srv"`, "flags only"}},
		{[]string{"--log", "loud"}, nil, []string{`log is "loud"`, "debug, info, warn, error"}},
		{[]string{"--config", "/none"}, nil, []string{"/none"}},
		{[]string{"--ready"}, nil, []string{"health.listen is empty", "FRESHET_HEALTH_LISTEN=:8080"}},
		{nil, []string{"FRESHET_NATS_ULR=x"}, []string{"did you mean FRESHET_NATS_URL?"}},
		{nil, []string{"FRESHET_NATS_URL=nats://127.0.0.1:1", "FRESHET_HEALTH_LISTEN=" + busy.Addr().String()}, []string{"health.listen", busy.Addr().String()}},
		{nil, []string{"FRESHET_NATS_URL=nats://127.0.0.1:1", "FRESHET_NATS_TLS_CA=/none"}, []string{"nats.tls.ca", "/none"}},
		{nil, []string{"FRESHET_QUERY_K=3"}, []string{"three herons"}},
	} {
		log := newOutput()
		for _, e := range c.env {
			name, value, _ := strings.Cut(e, "=")
			t.Setenv(name, value)
		}
		p := process.Program{Name: "heron", MakesLog: true, Open: func(*process.Env) (process.Service, error) { t.Error("the service is made"); return ends{}, nil }}
		if len(c.parts) == 1 {
			p.Check = func(config.Config) error { return document.Errorf(document.InvalidRequest, "three herons") }
		}
		code := p.Main(c.args, io.Discard, log)
		if code != process.ExitError || strings.Count(log.String(), "\n") != 1 || !strings.HasPrefix(log.String(), "heron: ") {
			t.Errorf("%v %v: exit %d: %q", c.args, c.env, code, log)
		}
		for _, part := range c.parts {
			if !strings.Contains(log.String(), part) {
				t.Errorf("%v %v: %q does not name %q", c.args, c.env, log, part)
			}
		}
		for _, e := range c.env {
			name, _, _ := strings.Cut(e, "=")
			t.Setenv(name, "")
		}
	}
}

func TestReady_IsAskedForWhereHealthIsTold(t *testing.T) {
	h, err := process.ServeHealth("127.0.0.1:0", document.Errorf(document.Unavailable, "the heron is starting"))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(code int, part string) {
		t.Helper()
		log := newOutput()
		p := process.Program{Name: "heron"}
		if got := p.Main([]string{"--ready"}, io.Discard, log); got != code || !strings.Contains(log.String(), part) {
			t.Errorf("exit %d: %q", got, log)
		}
	}
	t.Setenv("FRESHET_HEALTH_LISTEN", h.Addr())
	ask(process.ExitNotReady, "not ready: the heron is starting")
	h.Ready(func(context.Context) error { return nil })
	ask(process.ExitDone, "")
	_, port, err := net.SplitHostPort(h.Addr())
	if err != nil {
		t.Fatal(err)
	}
	for _, every := range []string{":", "0.0.0.0:"} {
		t.Setenv("FRESHET_HEALTH_LISTEN", every+port)
		ask(process.ExitDone, "")
	}
	h.Close()
	ask(process.ExitNotReady, "nobody answers at http://localhost:"+port+"/readyz")
}

func TestVersionAndHelp_NeedNoServer(t *testing.T) {
	for arg, part := range map[string]string{"--version": "heron " + process.Version + " ", "--help": "Usage: heron [FLAGS]", "-h": "-config file"} {
		out := newOutput()
		if code := (process.Program{Name: "heron"}).Main([]string{arg}, out, io.Discard); code != process.ExitDone || !strings.Contains(out.String(), part) {
			t.Errorf("%s: exit %d: %s", arg, code, out)
		}
	}
}

// Of the log the same is waited for: another makes it.
func TestServiceWithoutALog_WaitsForIt(t *testing.T) {
	srv := natsServer(t)
	t.Setenv("FRESHET_NATS_URL", srv.ClientURL())
	log, made := newOutput(), make(chan struct{})
	p := process.Program{Name: "heron", Open: func(*process.Env) (process.Service, error) {
		close(made)
		return ends{document.Errorf(document.Unavailable, "no more herons")}, nil
	}}
	exit := make(chan int, 1)
	go func() { exit <- p.Main(nil, io.Discard, log) }()
	log.find(t, "start the watcher, which makes it")
	b, err := bus.Connect(t.Context(), srv.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.JetStream().Stream(t.Context(), "FILES"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("the service made the log: %v", err)
	}
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	<-made
	if code := <-exit; code != process.ExitError {
		t.Errorf("exit %d: %s", code, log)
	}
}

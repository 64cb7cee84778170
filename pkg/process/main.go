package process

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// stopLimit is how long a service may take to stop after the first signal,
// below the 10 s after which Docker kills. What is cut off is handed to another
// worker, or taken up at the next start.
const stopLimit = 9 * time.Second

// Service is what a process runs.
type Service interface {
	// Run works until ctx ends, and then finishes what it has begun.
	Run(ctx context.Context) error
	// Ready returns nil when the service does its work, else one sentence. It
	// may wait for that until ctx ends.
	Ready(ctx context.Context) error
}

// drainer is a Service that others ask: it takes no more requests, and answers those
// that it has.
type drainer interface {
	Drain(ctx context.Context) error
}

// drainLimit is how long answers may take at a stop; who is left is told to ask again. It
// leaves time to end in the rest of stopLimit.
const drainLimit = 4 * time.Second

// Program is the program of one service.
type Program struct {
	Name string
	// MakesLog: its processes make the streams of the log. The others wait for
	// them, and need no right to make any.
	MakesLog bool
	// OnlyAsks: its processes ask the others, and neither read the log nor wait for
	// it.
	OnlyAsks bool
	// Check looks at what else has to be right in a valid configuration; it may
	// be nil.
	Check func(config.Config) error
	// Open makes the service.
	Open func(*Env) (Service, error)
}

// Env is what a service is made of.
type Env struct {
	Config config.Config
	Bus    *bus.Bus // closed by Main
	Log    *slog.Logger

	closers []func() error
}

// OnStop has something closed when the service has ended, the last first.
func (e *Env) OnStop(closeIt func() error) { e.closers = append(e.closers, closeIt) }

func (e *Env) close() error {
	var err error
	for len(e.closers) > 0 {
		last := e.closers[len(e.closers)-1]
		e.closers = e.closers[:len(e.closers)-1]
		err = errors.Join(err, last())
	}
	return err
}

// Main runs the program with a command line (without its name) and returns the
// exit code. The first interrupt or termination signal drains
// the service, a second one ends it at once. An error is one sentence on
// stderr, where the log goes too.
func (p Program) Main(args []string, stdout, stderr io.Writer) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	complain := func(sentence string) {
		for line := range strings.Lines(sentence) {
			_, _ = fmt.Fprintln(stderr, p.Name+": "+strings.TrimRight(line, "\n"))
		}
	}
	done := make(chan int, 1)
	go func() {
		err := p.run(ctx, args, stdout, stderr)
		switch {
		case err == nil, errors.Is(err, flag.ErrHelp):
			done <- ExitDone
		case errors.Is(err, errNotReady):
			complain(err.Error())
			done <- ExitNotReady
		default:
			complain(document.Coded(err))
			done <- ExitError
		}
	}()
	code, tooLong := Attend(done, signals, cancel, func() <-chan time.Time { return time.After(stopLimit) })
	if tooLong {
		complain("the " + p.Name + " did not end within " + stopLimit.String() + " and was cut off; nothing is lost, what was under way is done again")
	}
	return code
}

func (p Program) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(p.Name, args, stdout)
	if err != nil {
		return err
	}
	if o.version {
		_, err := io.WriteString(stdout, versionLine(p.Name))
		return err
	}
	cfg, err := o.load(os.Environ())
	if err != nil {
		return err
	}
	if o.ready {
		return askReady(ctx, cfg.Health.Listen)
	}
	if p.Check != nil {
		if err := p.Check(cfg); err != nil {
			return err
		}
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: Level(cfg.Log)})).With("service", p.Name)
	h, err := ServeHealth(cfg.Health.Listen, document.Errorf(document.Unavailable, "the %s is starting", p.Name))
	if err != nil {
		return err
	}
	defer h.Close()
	log.Info("starting", "version", Version, "health", h.Addr())
	err = p.serve(ctx, cfg, log, h)
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		log.Info("stopped")
		return nil
	}
	if err == nil {
		return document.Errorf(document.Internal, "the %s stopped by itself", p.Name)
	}
	return err
}

// serve runs the service until ctx ends.
func (p Program) serve(ctx context.Context, cfg config.Config, log *slog.Logger, h *Health) (err error) {
	b, err := p.openLog(ctx, cfg.NATS, log, logged(log, h))
	if err != nil {
		return err
	}
	defer b.Close()
	if err := Restrict(ctx, b, cfg.Access, log); err != nil {
		return err
	}
	env := &Env{Config: cfg, Bus: b, Log: log}
	defer func() { err = errors.Join(err, env.close()) }()
	svc, err := p.Open(env)
	if err != nil {
		return err
	}
	h.Ready(func(asked context.Context) error { return ready(asked, ctx, p.Name, b, svc) })
	log.Info("running", "nats", b.Conn().ConnectedUrlRedacted())
	return run(ctx, svc, log)
}

// run runs a service until ctx ends, and has it answer what it was asked by then: another
// process of it takes what comes, and nobody is refused.
func run(ctx context.Context, svc Service, log *slog.Logger) error {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	done := make(chan error, 1)
	go func() { done <- svc.Run(life) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if d, ok := svc.(drainer); ok {
		answering, enough := context.WithTimeout(life, drainLimit)
		defer enough()
		if err := d.Drain(answering); err != nil {
			log.Warn("requests were left to be asked again", "error", err)
		}
	}
	end()
	return <-done
}

// ready says why a service does not do its work, nil when it does.
func ready(asked, life context.Context, name string, b *bus.Bus, svc Service) error {
	switch {
	case life.Err() != nil:
		return document.Errorf(document.Unavailable, "the %s is stopping", name)
	case !b.Conn().IsConnected():
		return document.Errorf(document.Unavailable, "the %s has lost its connection to NATS and tries again", name)
	}
	err := svc.Ready(asked)
	if errors.Is(err, context.DeadlineExceeded) {
		return document.Errorf(document.Unavailable, "the %s is still reading the log", name)
	}
	return err
}

// Level is the level of a log by its name in the configuration, which is
// valid.
func Level(name string) slog.Level {
	var l slog.Level
	if err := l.UnmarshalText([]byte(name)); err != nil {
		return slog.LevelWarn
	}
	return l
}

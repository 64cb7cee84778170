package siege

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// round is one round of a siege.
type round struct {
	cfg    *Config
	rng    *rand.Rand // of the blows
	length time.Duration
	dir    string // of everything
	data   string // state folder
	port   string
	ins    *target
	bus    *bus.Bus

	mu    sync.Mutex
	entry Entry
	notes []string // what went wrong, for a person
}

// Streams of randomness of one seed.
const (
	forLength = iota + 1
	forSettings
	forBlows
	forGuest
	forPace
)

// stream is one of the seed's streams of randomness.
func stream(seed, which uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, which)) }

// lengthOf is how long the round of a seed takes.
func lengthOf(seed uint64) time.Duration {
	return between(stream(seed, forLength), MinRound, MaxRound).Round(time.Second)
}

// fight runs a round to its end. What went wrong stands in the entry.
func (r *round) fight(ctx context.Context) {
	err := r.run(ctx)
	if r.bus != nil {
		r.bus.Close()
	}
	if r.ins != nil && r.ins.cmd != nil && r.ins.cmd.Process != nil {
		if log, lerr := r.ins.written(); lerr == nil {
			r.read(string(log))
		}
		r.ins.kill()
		r.entry.Program = r.ins.spent.Seconds()
	}
	if err != nil && ctx.Err() == nil {
		r.entry.Trouble = err.Error()
	}
}

// read looks in the program's log for what no test sees.
func (r *round) read(log string) {
	for _, sign := range []string{"panic: ", "fatal error: ", "DATA RACE"} {
		if strings.Contains(log, sign) {
			r.violation("crash", "the log of the program has "+sign)
		}
	}
}

func (r *round) run(ctx context.Context) error {
	roots, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	if err := r.ins.start(); err != nil {
		return err
	}
	if err := r.ins.awaitReady(ctx); err != nil {
		return err
	}
	remote, err := instance.FindLog("", r.data)
	if err != nil {
		return err
	}
	if err := r.connect(ctx); err != nil {
		return err
	}
	drawn, hits := stages(r.entry.Seed)
	v, err := vulture.New(ctx, vulture.Config{
		Hidden: true, Settings: drawn, Hits: hits,
		Remote: remote, Place: vulture.Place{Source: "prey", Dir: filepath.Join(roots["prey"], "vulture")},
		Repository: vulture.Place{Source: "branches", Dir: roots["branches"]},
		Writers:    r.cfg.Writers, Readers: r.cfg.Readers, Duration: r.length, Seed: r.entry.Seed, Interrupted: true,
		Pace: between(stream(r.entry.Seed, forPace), 30*time.Millisecond, 150*time.Millisecond),
	})
	if err != nil {
		return err
	}
	defer v.Close()
	err = r.circle(ctx, v, roots)
	report := v.Report()
	r.entry.Seconds = report.Duration.Seconds()
	if err == nil {
		err = r.settle(ctx, v)
		report = v.Report()
	}
	r.judged(report)
	if err != nil {
		return err
	}
	return r.ins.end()
}

// connect connects to the program, as who may do everything.
func (r *round) connect(ctx context.Context) error {
	admin, err := instance.FindRole("", r.data, contract.RoleAdmin)
	if err != nil {
		return err
	}
	r.bus, err = admin.Connect(ctx)
	return err
}

// prepare makes the folders and draws the settings.
func (r *round) prepare(ctx context.Context) (map[string]string, error) {
	roots := map[string]string{}
	var args []string
	for _, name := range []string{"prey", "branches", "large", "visited"} {
		roots[name] = filepath.Join(r.dir, name)
		if err := os.MkdirAll(roots[name], 0o755); err != nil {
			return nil, err
		}
		if name != "visited" {
			args = append(args, roots[name])
		}
	}
	if out, err := exec.CommandContext(ctx, "git", "init", "--quiet", roots["branches"]).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w: %s", err, out)
	}
	file := filepath.Join(r.dir, "freshet.yaml")
	if err := os.WriteFile(file, []byte(settings(stream(r.entry.Seed, forSettings))), 0o644); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(r.dir, "log"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	if r.port, err = freePort(); err != nil {
		return nil, err
	}
	r.data = filepath.Join(r.dir, "state")
	drawn, _ := stages(r.entry.Seed)
	r.ins = &target{program: r.cfg.Program, log: log, env: drawn.Environment(), args: append([]string{"--config", file, "--data", r.data, "--nats-port", r.port}, args...)}
	return roots, nil
}

func (r *round) url() string { return "nats://127.0.0.1:" + r.port }

// freePort is a port that nobody listens on: the program comes back to it.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// circle has the vulture circle under the blows. Afterwards the program runs.
func (r *round) circle(ctx context.Context, v *vulture.Vulture, roots map[string]string) error {
	g, gctx := errgroup.WithContext(ctx)
	besieged, over := context.WithCancel(gctx)
	g.Go(func() error {
		defer over()
		return v.Circle(gctx)
	})
	g.Go(func() error { return r.strike(besieged) })
	guest := newGuest(r, roots)
	g.Go(func() error { return guest.run(besieged) })
	if err := g.Wait(); err != nil {
		return err
	}
	if err := r.ins.awaitReady(ctx); err != nil {
		return err
	}
	return guest.leave(ctx)
}

// settleWithin is how long a round may take to come to rest.
const settleWithin = 5 * time.Minute

// settle has the vulture ask for everything at rest, and all of it compared.
func (r *round) settle(ctx context.Context, v *vulture.Vulture) error {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	if err := v.Settle(ctx); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	sum := contract.VerifySummary{}
	err := client.Verify.Each(ctx, r.bus.Conn(), contract.VerifyRequest{}, func(p contract.VerifyPart) error {
		if d := p.Difference; d != nil {
			r.violation("unequal", fmt.Sprintf("verify: %s %s in %s %s of %s: %s", d.What, d.Path, d.Stage, d.Sink, d.Source, d.Detail))
		}
		if p.Summary != nil {
			sum = *p.Summary
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if sum.Outcome == contract.OutcomeIncomplete {
		r.violation("unequal", fmt.Sprintf("verify: incomplete: %+v", sum))
	}
	return nil
}

// judged takes over what the vulture found.
func (r *round) judged(report vulture.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry.Answers += report.Checked
	r.entry.WithToken += report.WithToken
	for _, n := range report.Writes {
		r.entry.Writes += n
	}
	for kind, n := range report.Counts {
		r.entry.Violations[string(kind)] += n
	}
	for _, v := range report.Violations() {
		r.notes = append(r.notes, v.String())
	}
}

// answered notes an answer that was judged beside the vulture's.
func (r *round) answered(kind, seen string) {
	r.mu.Lock()
	r.entry.Answers++
	r.entry.WithToken++
	r.mu.Unlock()
	if kind != "" {
		r.violation(kind, seen)
	}
}

func (r *round) violation(kind, seen string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry.Violations[kind]++
	r.notes = append(r.notes, kind+": "+seen)
}

func (r *round) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry.Blows[what]++
}

package siege

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// round is one round of a siege.
type round struct {
	cfg    *Config
	length time.Duration
	dir    string // of everything
	ground ground
	dep    *deployment
	bus    *bus.Bus // of an admin
	blows  *assault

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
	forGiver
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
	r.blows.close()
	if r.bus != nil {
		r.bus.Close()
	}
	if r.dep != nil {
		if log, lerr := r.dep.written(); lerr == nil {
			r.read(string(log))
		}
		r.entry.Program = r.dep.kill().Seconds()
		err = errors.Join(err, r.dep.close())
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

func (r *round) run(ctx context.Context) (err error) {
	if r.ground, err = r.prepare(ctx); err != nil {
		return err
	}
	if err := r.raise(ctx); err != nil {
		return err
	}
	remote, err := r.dep.login(bus.UserServices)
	if err != nil {
		return err
	}
	form := forms[r.entry.Mode]
	drawn, hits := stages(r.entry.Seed)
	v, err := vulture.New(ctx, vulture.Config{
		Hidden: true, Settings: drawn, Hits: hits,
		Remote: remote, Place: vulture.Place{Source: "prey", Dir: filepath.Join(r.ground.roots["prey"], "vulture")},
		Repository: vulture.Place{Source: "branches", Dir: r.ground.roots["branches"]},
		Writers:    r.cfg.Writers, Readers: r.cfg.Readers, Duration: r.length, Seed: r.entry.Seed, Interrupted: true, Ended: r.ended, Damaged: r.cfg.Damage, AtRest: r.blows.repair, Rest: form.rest,
		Pace: between(stream(r.entry.Seed, forPace), form.leastPace, form.mostPace), Deadline: form.deadline,
	})
	if err != nil {
		return err
	}
	defer v.Close()
	err = r.circle(ctx, v)
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
	return r.dep.end()
}

// raise makes the deployment, starts it and waits until it answers.
func (r *round) raise(ctx context.Context) (err error) {
	if r.dep, err = forms[r.entry.Mode].deploy(r, r.ground); err != nil {
		return err
	}
	if err := r.dep.start(); err != nil {
		return err
	}
	return r.dep.ready(ctx)
}

// connect connects as who may do everything that people may.
func (r *round) connect(ctx context.Context) error {
	admin, err := r.dep.login(string(contract.RoleAdmin))
	if err != nil {
		return err
	}
	r.bus, err = admin.Connect(ctx)
	return err
}

// circle has the vulture circle under the blows. Afterwards the program runs.
func (r *round) circle(ctx context.Context, v *vulture.Vulture) error {
	g, gctx := errgroup.WithContext(ctx)
	besieged, over := context.WithCancel(gctx)
	g.Go(func() error {
		defer over()
		return v.Circle(gctx)
	})
	if forms[r.entry.Mode].calm {
		return g.Wait()
	}
	g.Go(func() error { return r.blows.strike(besieged) })
	guest := newGuest(r)
	g.Go(func() error { return guest.run(besieged) })
	giver := newGiver(guest)
	if !r.cfg.Damage { // what is given by request nobody can make again
		g.Go(func() error {
			giver.run(besieged)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := r.dep.ready(ctx); err != nil {
		return err
	}
	if err := guest.leave(ctx); err != nil {
		return err
	}
	return giver.leave(ctx)
}

// settle has the vulture ask for everything at rest, and all of it compared.
func (r *round) settle(ctx context.Context, v *vulture.Vulture) error {
	ctx, cancel := context.WithTimeout(ctx, forms[r.entry.Mode].settleWithin)
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

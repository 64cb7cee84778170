package vulture

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Vulture checks one deployment. Its methods are called one after the other.
type Vulture struct {
	cfg     Config
	bus     *bus.Bus
	grounds []ground // that of Config.Place, and that of Config.Repository
	sources []document.Source
	world   *world
	stop    func() // ends the observation of the log
	hot     *hot
	judge   *judge
	readers []*reader
	stores  *comparison
	kept    *keeping // nil before it circles
}

// Run circles for Duration, waits for rest and reports. The error is for a
// deployment that cannot be reached or a folder that cannot be written; what
// the deployment did wrong stands in the report.
func Run(ctx context.Context, cfg Config) (Report, error) {
	v, err := New(ctx, cfg)
	if err != nil {
		return Report{}, err
	}
	defer v.Close()
	if err := v.Circle(ctx); err != nil {
		return v.Report(), err
	}
	err = v.Settle(ctx)
	return v.Report(), err
}

// New connects to the deployment. The caller closes the result.
func New(ctx context.Context, cfg Config) (*Vulture, error) {
	cfg.setDefaults()
	if cfg.Writers > maxWriters {
		return nil, document.Errorf(document.InvalidRequest, "%d writers are too many: name at most %d", cfg.Writers, maxWriters)
	}
	places := []Place{cfg.Place}
	if cfg.Repository.Dir != "" {
		places = append(places, cfg.Repository)
	}
	for _, p := range places {
		if err := vacant(p.Dir); err != nil {
			return nil, err
		}
	}
	b, err := cfg.Remote.Connect(ctx)
	if err != nil {
		return nil, err
	}
	v := &Vulture{cfg: cfg, bus: b, world: newWorld(), hot: newHot()}
	if err := v.settleDown(ctx, places); err != nil {
		b.Close()
		return nil, err
	}
	v.stop = v.bus.Files().Observe(v.observe)
	return v, nil
}

// settleDown finds the places and what the deployment had done before.
func (v *Vulture) settleDown(ctx context.Context, places []Place) error {
	for _, p := range places {
		g, err := locate(ctx, v.bus, p)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(p.Dir, 0o755); err != nil {
			return document.Errorf(document.InvalidRequest, "the folder %s cannot be made: %w", p.Dir, err)
		}
		v.grounds = append(v.grounds, g)
		if !slices.Contains(v.sources, p.Source) {
			v.sources = append(v.sources, p.Source)
		}
	}
	v.judge = newJudge(v.cfg, v.world, v.bus, v.grounds)
	var err error
	v.stores, err = newComparison(ctx, v)
	return err
}

// Close ends the connection.
func (v *Vulture) Close() {
	if v.kept != nil {
		v.kept.close()
	}
	v.stop()
	v.bus.Close()
}

// observe takes note of a head of the log. It runs under the table's lock.
func (v *Vulture) observe(k bus.FileKey, old, now contract.FileHead) {
	if k.Doc == document.MarkerDoc {
		return
	}
	if now.Version == 0 {
		v.purgedEarly(k, old)
		return
	}
	for _, g := range v.grounds {
		if g.view == k.View && g.holds(k.Source, now.Path) {
			v.world.observe(spot{k.Source, now.Path}, logged{seq: uint64(now.Version), op: now.Op, hash: now.Hash})
		}
	}
}

// purgedEarly notes the deletion of a document that was purged before the
// deletion came here.
func (v *Vulture) purgedEarly(k bus.FileKey, old contract.FileHead) {
	if old.Op == contract.OpDelete {
		return
	}
	for _, g := range v.grounds {
		if g.view == k.View && g.holds(k.Source, old.Path) {
			v.world.observe(spot{k.Source, old.Path}, logged{seq: max(v.world.newest(), uint64(old.Version)+1), op: contract.OpDelete})
		}
	}
}

// Circle writes, asks and judges for the configured time, or until ctx ends;
// then its error is ctx's.
func (v *Vulture) Circle(ctx context.Context) error {
	if err := v.bus.Files().Ready(ctx); err != nil {
		return err
	}
	var err error
	if v.kept, err = v.keep(ctx); err != nil {
		return err
	}
	began := time.Now()
	writing, done := context.WithCancel(ctx)
	defer done()
	if v.cfg.Duration > 0 {
		defer time.AfterFunc(v.cfg.Duration, done).Stop()
	}

	judging, gctx := errgroup.WithContext(ctx)
	answers := make(chan answer, 256)
	judging.Go(func() error { return v.judge.run(gctx, answers) })

	asking, actx := errgroup.WithContext(gctx)
	finished := make(chan struct{}) // the writers have ended
	asking.Go(func() error {
		defer close(finished)
		writers, wctx := errgroup.WithContext(actx)
		for _, w := range v.writers() {
			writers.Go(func() error { return w.run(wctx, writing.Done()) })
		}
		return writers.Wait()
	})
	for i := range v.cfg.Readers {
		r := &reader{v: v, rng: rand.New(rand.NewPCG(v.cfg.Seed, 1000+uint64(i))), answers: answers}
		v.readers = append(v.readers, r)
		asking.Go(func() error { return r.run(actx, finished) })
	}
	asking.Go(func() error { v.forgetting(actx, finished); return nil })
	asking.Go(func() error { v.telling(actx, began, finished); return nil })
	err = asking.Wait()
	close(answers)
	err = errors.Join(err, judging.Wait())
	v.judge.count(func(r *Report) { r.Duration = time.Since(began) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// writers returns those that write files, and the one that switches branches.
func (v *Vulture) writers() []interface {
	run(ctx context.Context, stop <-chan struct{}) error
} {
	out := make([]interface {
		run(ctx context.Context, stop <-chan struct{}) error
	}, v.cfg.Writers)
	for i := range out {
		if len(v.grounds) > 1 && i > 0 && i == len(out)-1 {
			out[i] = newBrancher(v, i)
		} else {
			out[i] = newWriter(v, i)
		}
	}
	return out
}

// tellEvery is the time between two calls of Config.Progress.
const tellEvery = 500 * time.Millisecond

func (v *Vulture) telling(ctx context.Context, began time.Time, stop <-chan struct{}) {
	if v.cfg.Progress == nil {
		return
	}
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r := v.judge.result()
			r.Duration = time.Since(began)
			v.cfg.Progress(r)
		case <-stop:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Report returns what was found so far.
func (v *Vulture) Report() Report {
	return v.judge.result()
}

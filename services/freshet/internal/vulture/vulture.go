package vulture

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Vulture checks one deployment. Its methods are called one after the other.
type Vulture struct {
	cfg    Config
	bus    *bus.Bus
	prefix document.Path // of Dir below the source's root; "" is the root
	view   document.View
	world  *world
	stop   func() // ends the observation of the log
	hot    chan question
	judge  *judge
	// sweptBefore is how many chunks had been swept before.
	sweptBefore uint64
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
	entries, err := os.ReadDir(cfg.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look into the vulture's folder: %w", err)
	}
	if len(entries) > 0 {
		return nil, document.Errorf(document.InvalidRequest, "the folder %s is not empty: name an empty or a missing one, since the vulture deletes what it finds there", cfg.Dir)
	}
	b, err := bus.Connect(ctx, cfg.URL)
	if err != nil {
		return nil, err
	}
	v := &Vulture{cfg: cfg, bus: b, world: newWorld(), hot: make(chan question, 64)}
	v.judge = newJudge(cfg, v.world, b)
	if err := v.locate(ctx); err != nil {
		b.Close()
		return nil, err
	}
	if v.sweptBefore, err = v.swept(ctx); err != nil {
		b.Close()
		return nil, err
	}
	if err := os.MkdirAll(cfg.Dir, 0o755); err != nil {
		b.Close()
		return nil, fmt.Errorf("make the vulture's folder: %w", err)
	}
	v.stop = v.bus.Files().Observe(v.observe)
	return v, nil
}

// Close ends the connection.
func (v *Vulture) Close() {
	v.stop()
	v.bus.Close()
}

// locate finds the source and where Dir lies in it.
func (v *Vulture) locate(ctx context.Context) error {
	list, err := bus.Call[struct{}, contract.SourceList](ctx, v.bus.Conn(), contract.SubjectSourcesList, struct{}{})
	if err != nil {
		return err
	}
	for _, s := range list.Sources {
		if s.Source != v.cfg.Source {
			continue
		}
		// The root may be named through a symbolic link.
		root, err := filepath.EvalSymlinks(s.Root)
		if err != nil {
			return fmt.Errorf("find the root of source %s: %w", s.Source, err)
		}
		dir, err := resolveParent(v.cfg.Dir)
		if err != nil {
			return fmt.Errorf("find the vulture's folder: %w", err)
		}
		rel, err := filepath.Rel(root, dir)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			return document.Errorf(document.InvalidRequest, "the folder %s does not lie below %s, the root of source %s", v.cfg.Dir, root, s.Source)
		}
		if rel != "." {
			v.prefix = document.EncodePath(filepath.ToSlash(rel)) + "/"
		}
		v.view = s.View
		v.judge.prefix, v.judge.view = v.prefix, v.view
		return nil
	}
	return document.Errorf(document.NotFound, "no source %q is watched: add it, or name another", v.cfg.Source)
}

// resolveParent follows symbolic links of a path whose last elements may be
// missing.
func resolveParent(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return resolved, err
	}
	parent, err := resolveParent(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// observe takes note of a head of the log. It runs under the table's lock.
func (v *Vulture) observe(k bus.FileKey, _, now contract.FileHead) {
	if k.Source != v.cfg.Source || k.View != v.view || now.Version == 0 || k.Doc == document.MarkerDoc {
		return
	}
	if strings.HasPrefix(string(now.Path), string(v.prefix)) {
		v.world.observe(now.Path, logged{seq: uint64(now.Version), op: now.Op, hash: now.Hash})
	}
}

// Circle writes, asks and judges for the configured time.
func (v *Vulture) Circle(ctx context.Context) error {
	if err := v.bus.Files().Ready(ctx); err != nil {
		return err
	}
	began := time.Now()
	writing, done := context.WithTimeout(ctx, v.cfg.Duration)
	defer done()

	judging, gctx := errgroup.WithContext(ctx)
	answers := make(chan answer, 256)
	judging.Go(func() error { return v.judge.run(gctx, answers) })

	asking, actx := errgroup.WithContext(gctx)
	finished := make(chan struct{}) // the writers have ended
	asking.Go(func() error {
		defer close(finished)
		writers, wctx := errgroup.WithContext(actx)
		for i := range v.cfg.Writers {
			w := newWriter(v, i)
			writers.Go(func() error { return w.run(wctx, writing.Done()) })
		}
		return writers.Wait()
	})
	for i := range v.cfg.Readers {
		r := &reader{v: v, rng: rand.New(rand.NewPCG(v.cfg.Seed, 1000+uint64(i))), answers: answers}
		asking.Go(func() error { return r.run(actx, finished) })
	}
	err := asking.Wait()
	close(answers)
	err = errors.Join(err, judging.Wait())
	v.judge.report.Duration += time.Since(began)
	return err
}

// Report returns what was found so far.
func (v *Vulture) Report() Report {
	return v.judge.result()
}

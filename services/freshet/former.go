package freshet

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
)

// former is the build that answers are made of while another is built: the same
// services once more, as it was configured, until the other takes its place.
type former struct {
	build    contract.Build
	settings settings
	models   embedders.Set
	counted  embedders.Set         // those of what is configured, which are counted there
	own      []document.Generation // those that what is configured has not
	sinks    open.Stores           // of own
	services []member
}

// errNotFeasible says that this program cannot go on making a build.
var errNotFeasible = errors.New("it was made by other splitters, other words or a model that is not there any more")

// planFormer says how what is complete would go on being made: by embedders of what is
// configured, or of before, which are open, where they are the same. The error is
// errNotFeasible where it cannot be.
func planFormer(o Options, build, now contract.Build, models, before embedders.Set) (*former, error) {
	if !build.Feasible(now) {
		return nil, errNotFeasible
	}
	own := rollout.Embedders(o.Config, build, models, before)
	if own == nil {
		return nil, errNotFeasible
	}
	f := &former{build: build, models: own, counted: models, settings: settingsOf(rollout.As(o.Config, build), build), own: build.Without(now)}
	f.settings.chunker.ParserCommand = o.ParserCommand
	f.settings.embedder.Generations, f.settings.stores.Generations = f.own, f.own
	return f, nil
}

// open opens the stores beside those of what is configured, unless prev has them open,
// and makes the services.
func (f *former) open(b *bus.Bus, prev *shift, beside open.Options, log *slog.Logger) (err error) {
	f.settings.stores.Dir, f.settings.stores.Room, f.settings.stores.Keep = beside.Dir, beside.Room, beside.Generations
	if f.sinks, err = prev.stores(f.settings.stores); err != nil {
		return err
	}
	cut, err := chunker.New(f.settings.chunker, chunker.Deps{Bus: b, Log: log, Beside: true})
	if err != nil {
		return err
	}
	f.services = []member{{"chunker of before", cut.Run}}
	if len(f.own) == 0 {
		return nil
	}
	vectors, err := embedder.New(f.settings.embedder, embedder.Deps{Bus: b, Embedders: f.models, Log: log, Beside: true, Counted: f.counted})
	if err != nil {
		return err
	}
	f.services = append(f.services, member{"embedder of before", vectors.Run})
	return nil
}

// shared are the generations that what is configured has, too.
func (f *former) shared() []document.Generation {
	if f == nil {
		return nil
	}
	return slices.DeleteFunc(f.build.Generations(), func(g document.Generation) bool { return slices.Contains(f.own, g) })
}

// generations are those that are made; nil is none.
func (f *former) generations() []document.Generation {
	if f == nil {
		return nil
	}
	return f.build.Generations()
}

// embedders answer queries of the build; nil is none.
func (f *former) embedders() embedders.Set {
	if f == nil {
		return nil
	}
	return f.models
}

func (f *former) indexed(d *indexer.Deps, h *hold) {
	d.Begin = h.begun()
	if f != nil {
		d.Shared = f.shared()
		d.Former, d.FormerBuild = f.sinks, f.build.ID()
	}
}

// answers is what questions are answered from, out of stores that are open: what is
// configured has some of them, too.
func (f *former) answers(configured open.Stores, h *hold) *query.Former {
	if f == nil {
		return nil
	}
	out := &query.Former{Build: f.build, Stores: maps.Clone(f.sinks)}
	for _, g := range f.build.Generations() {
		if sinks, ok := configured[g]; ok {
			out.Stores[g] = sinks
		}
	}
	if h != nil {
		out.Held = h.now
	}
	return out
}

// close closes the stores. It may be called again.
func (f *former) close() error {
	if f == nil || f.sinks == nil {
		return nil
	}
	sinks := f.sinks
	f.sinks = nil
	return sinks.Close()
}

// replacement is what takes the place of the former, once it is complete.
type replacement struct {
	former *former // nil: there is nothing to replace
	builds *builds
	index  *indexer.Service
	answer *query.Service
	stores open.Options // of what is configured
	log    *slog.Logger
	// alone is closed when nobody but these services uses the former; nil: from the
	// start.
	alone chan struct{}
}

// run makes the former until the other one is complete, has that answer, and takes
// the former away; then it calls done and waits for the end.
func (r *replacement) run(ctx context.Context, done func(context.Context)) error {
	if r.former == nil {
		<-ctx.Done()
		return nil
	}
	life, leave := context.WithCancel(ctx)
	defer leave()
	making := make(chan error, 1)
	go func() { making <- runCrew(life, r.former.services) }()
	switched := make(chan error, 1)
	go func() { switched <- r.replace(life) }()
	var err error
	select {
	case err = <-making: // before its time
		leave()
		return errors.Join(err, ignoreEnd(life, <-switched))
	case err = <-switched:
	}
	leave()
	if err = errors.Join(err, <-making); err == nil {
		err = r.index.LeaveFormer(ctx)
	}
	if err != nil || ctx.Err() != nil {
		return ignoreEnd(ctx, err)
	}
	if err := r.former.close(); err != nil {
		return err
	}
	if err := r.stores.RemoveUnused(); err != nil {
		r.log.Warn("stores of what was built before stay for now", "error", err)
	}
	done(ctx)
	<-ctx.Done()
	return nil
}

// replace waits until what is configured is complete and has it answer. It returns
// when nothing is asked of the former any more.
func (r *replacement) replace(ctx context.Context) error {
	if !bus.Begun(ctx, r.alone) {
		return ctx.Err()
	}
	if err := r.answer.Complete(ctx); err != nil {
		return err
	}
	if err := r.builds.complete(ctx); err != nil {
		return err
	}
	select {
	case <-r.answer.FormerLeft():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ignoreEnd drops the error of what was ended.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

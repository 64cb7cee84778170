package freshet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
	"github.com/freshet-dev/freshet/services/query"
)

// reload is what is to be configured from now on.
type reload struct {
	config config.Config
	models embedders.Set
	again  bus.Reindex
	build  contract.Build
	from   contract.BuildID // that was made when it was asked for
	done   chan error       // is told, once, when it is
}

// reloader reads the configuration again while everything runs, and has what it says of
// passages and vectors built beside what answers.
type reloader struct {
	works *shifts
	load  func() (config.Config, error) // nil: nobody is asked
}

// Run serves until ctx ends.
func (r *reloader) Run(ctx context.Context) error {
	if r.load == nil || r.works.o.Once {
		<-ctx.Done()
		return nil
	}
	svc, err := rpc.NewService(r.works.bus, "freshet-configuration", "Reads the configuration again", process.Version)
	if err != nil {
		return err
	}
	defer func() { _ = svc.Stop() }()
	err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "reload", Subject: contract.SubjectReload, Limit: 1, Deadline: 10 * time.Minute, Left: rpc.Finished}, r.ask)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (r *reloader) ask(ctx context.Context, req contract.ReloadRequest) (out contract.ReloadReply, err error) {
	if req.Do != contract.ReloadTell && req.Do != contract.ReloadBegin && req.Do != contract.ReloadLook {
		return out, document.Errorf(document.InvalidRequest, "do is %q: use %s, or leave it out", req.Do, contract.ReloadBegin)
	}
	now, runs, err := r.works.settled(ctx)
	if err != nil {
		return out, err
	}
	next, err := r.read(ctx, runs, &out)
	if err != nil {
		return out, err
	}
	if err := r.tell(ctx, now, next, req.Do != contract.ReloadLook, &out); err != nil || req.Do != contract.ReloadBegin || len(out.Taken) == 0 {
		return out, err
	}
	if now.build.ID() != out.Serving && next.build.ID() != out.Serving && next.build.ID() != now.build.ID() {
		return out, document.Errorf(document.Conflict, "another index is built already, and takes the place of what answers once it is complete: wait for it, or configure again what was there before").
			Do(document.DoReindexTell)
	}
	if len(out.Changes) > 0 {
		// Who asks for it has been told what it takes.
		if err := bus.AcceptedBuildOf(r.works.bus).Accept(ctx, next.build.ID()); err != nil {
			return out, err
		}
	}
	next.from = now.build.ID()
	select {
	case r.works.reloads <- next:
		return out, <-next.done
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// read reads the configuration, opens what it names, and notes in which keys it differs.
func (r *reloader) read(ctx context.Context, runs config.Config, out *contract.ReloadReply) (next reload, err error) {
	file, err := r.load()
	if err != nil {
		return next, err
	}
	if file, err = embedders.Known(file); err != nil {
		return next, err
	}
	next.config, next.done = runs.WithBuilding(file), make(chan error, 1)
	out.Taken, out.Later = config.Differences(runs, next.config), config.Differences(next.config, file)
	if next.models, err = embedders.Embedders(next.config); err != nil {
		return next, err
	}
	for _, name := range next.config.Collections.Names() {
		if next.config.EmbedderOf(name) == runs.EmbedderOf(name) {
			continue
		}
		if err := next.models.Probe(ctx, name); err != nil {
			return next, err
		}
	}
	next.again, err = (bus.Reindexing{Bus: r.works.bus}).Read(ctx)
	next.build = next.again.Of(rollout.Configured(next.config, next.models.Space))
	return next, err
}

// tell says what is chosen, and what building it takes where that is asked for.
func (r *reloader) tell(ctx context.Context, now *shift, next reload, takes bool, out *contract.ReloadReply) (err error) {
	out.Build, out.Chosen, out.File = next.build.ID(), &next.build, r.works.o.ConfigFile
	if out.Variables, err = config.Overridden(out.File, instance.Environ()...); err != nil {
		return err
	}
	serving, err := bus.BuildsOf(r.works.bus).Serving(ctx)
	if err != nil {
		return err
	}
	before := now.build
	if out.Serving = serving.Build; serving.Build != "" && serving.Build != before.ID() {
		answers, known, err := bus.BuildsOf(r.works.bus).Get(ctx, serving.Build)
		if err != nil {
			return err
		}
		if known {
			before = answers
		}
	}
	if out.Changes = before.Changes(next.build); len(out.Changes) == 0 || !takes {
		return nil
	}
	left, err := forecast.LackOf(ctx, r.works.bus, next.build)
	if err != nil {
		return err
	}
	lacks := left.Count()
	if counters, ok := forecast.Counters(next.models); ok {
		measured, err := left.Measure(ctx, forecast.Options{Config: next.config, ParserCommand: r.works.o.ParserCommand}, counters)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.works.o.Log.Warn("what building anew takes is not known", "error", err)
		default:
			lacks = measured
		}
	}
	all := lacks.Left
	out.Documents, out.TextBytes, out.Kept = all.Documents, all.Bytes, lacks.Kept
	out.Passages, out.Tokens, out.Seconds = all.Passages.Value, all.Tokens.Value, all.Seconds
	out.Disk, out.Cost, out.CostNote = lacks.Disk.Log+lacks.Disk.Stores, all.Cost, all.CostNote
	out.Above = above(all, next.config.Limits)
	return nil
}

// current is what runs now; nil while one takes the place of another.
func (w *shifts) current() (*shift, config.Config) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now, w.o.Config
}

// settledEvery is the time between two looks whether one has taken the place of another,
// which takes fractions of a second.
const settledEvery = 20 * time.Millisecond

// settled waits until none takes the place of another, and is what runs then.
func (w *shifts) settled(ctx context.Context) (*shift, config.Config, error) {
	for {
		if now, runs := w.current(); now != nil {
			return now, runs, nil
		}
		select {
		case <-time.After(settledEvery):
		case <-ctx.Done():
			return nil, config.Config{}, ctx.Err()
		}
	}
}

// reload has another shift take the place of s, as the configuration says now. Its error
// ends the run; who asked is told of others.
func (w *shifts) reload(ctx context.Context, h *hands, s *shift, next reload, later func(context.Context, *shift)) (_ *shift, err error) {
	if s.build.ID() != next.from {
		next.done <- document.Errorf(document.Conflict, "another index has been begun meanwhile: ask again").Do(document.DoReindexTell)
		return s, nil
	}
	var refusal error
	defer func() { next.done <- cmp.Or(refusal, err) }()
	asked := settingsOf(next.config, next.build).query
	asked.EndsIdle = w.settings.query.EndsIdle
	was := configured{w.o.Config, w.settings.query, w.models, w.before}
	w.configure(configured{next.config, asked, next.models, w.models})
	w.o.Log.Info("the configuration is read again", "build", next.build.ID())
	s, err = w.change(ctx, h, s, next.again, later)
	switch not := new(refused); {
	case errors.As(err, not):
		w.configure(was)
		refusal = err
		return s, nil
	case err != nil && ctx.Err() == nil:
		err = fmt.Errorf("build what the configuration says now: %w", err)
	}
	return s, err
}

// configured is what another configuration changes.
type configured struct {
	config         config.Config
	query          query.Config
	models, before embedders.Set
}

func (w *shifts) configure(c configured) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.o.Config, w.settings.query, w.models, w.before = c.config, c.query, c.models, c.before
}

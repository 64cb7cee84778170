package freshet

import (
	"context"
	"errors"
	"log/slog"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

// Change is a build that takes the place of the one that answers are made of.
type Change = forecast.Change

// builds knows how generations are made: the one that this run is configured
// for, and the one that answers are made of when it starts.
type builds struct {
	bus     *bus.Bus
	log     *slog.Logger
	now     contract.Build
	before  *contract.Build // nil where nothing was complete, or it is now, or nobody has noted how it is made
	foreign bool            // something was built, and nobody has noted how
	serving bus.Serving
	left    *forecast.Leftover // of what is configured, where something changes
	beside  bool               // before goes on being made
	held    *hold              // nil: what is configured is built
	above   string             // by how much it is above the limits; "" where it is not
}

// openBuilds compares what is configured with what was complete, and notes how
// what is configured is made.
func openBuilds(ctx context.Context, b *bus.Bus, now contract.Build, log *slog.Logger) (*builds, error) {
	s := &builds{bus: b, log: log, now: now}
	var err error
	if s.serving, err = bus.BuildsOf(b).Serving(ctx); err != nil {
		return nil, err
	}
	id := s.serving.Build
	if id == "" {
		others, err := bus.GenerationsOf(b).Others(ctx, now.Generations())
		if err != nil {
			return nil, err
		}
		s.foreign = len(others) > 0
	} else if before, ok, err := bus.BuildsOf(b).Get(ctx, id); err != nil {
		return nil, err
	} else if ok && len(before.Changes(now)) > 0 {
		s.before = &before
	} else if !ok && id != now.ID() {
		s.foreign = true
	}
	if s.changed() {
		if s.left, err = forecast.LackOf(ctx, b, now); err != nil {
			return nil, err
		}
	}
	if !s.changed() {
		// Whoever has accepted another one has gone back since, or it is complete.
		if err := bus.AcceptedBuildOf(b).Forget(ctx); err != nil {
			return nil, err
		}
	}
	return s, bus.BuildsOf(b).Note(ctx, now)
}

// changed reports whether something else was complete than what is configured.
func (s *builds) changed() bool { return s.before != nil || s.foreign }

// former is what goes on being made until what is configured is complete; nil where
// there is nothing, or this program cannot.
func (s *builds) former(ctx context.Context, o Options, models, before embedders.Set) (*former, error) {
	if s.before == nil {
		if s.foreign {
			s.above = above(s.left.Count().Left, o.Config.Limits)
		}
		return nil, nil
	}
	f, err := planFormer(o, *s.before, s.now, models, before)
	if errors.Is(err, errNotFeasible) {
		// To hold it would help nobody: nothing would answer.
		s.above = above(s.left.Count().Left, o.Config.Limits)
		s.log.Warn("what was built before cannot go on answering", "why", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if s.held, err = s.hold(ctx, o.Config.Limits); err != nil {
		return nil, err
	}
	if o.Once {
		if s.held != nil {
			return nil, s.held.refusal()
		}
		return nil, nil
	}
	s.beside = true
	for _, g := range f.generations() {
		if err := bus.GenerationsOf(s.bus).Resume(ctx, g); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// announce says, once, what changes and what it takes. It cuts and embeds a sample
// of what the log has, and returns what was said.
func (s *builds) announce(ctx context.Context, o Options, models embedders.Set) (c Change) {
	if !s.changed() {
		return c
	}
	c = Change{Rebuild: s.left.Count(), Meanwhile: s.beside, Above: s.above}
	if s.before != nil {
		c.Fields = s.before.Changes(s.now)
	}
	if s.held != nil {
		c.Held, c.Above = s.now.ID(), above(c.Rebuild.Left, o.Config.Limits)
	}
	if o.Rebuilding == nil {
		s.log.Warn("the index is built in another way than before", "changes", c.Fields, "documents", c.Rebuild.Left.Documents, "kept", c.Rebuild.Kept, "held", c.Held, "above", c.Above)
		if s.held == nil {
			return c
		}
	}
	if counters, ok := forecast.Counters(models); ok {
		var err error
		c.Rebuild, err = s.left.Measure(ctx, forecast.Options{Config: o.Config, ParserCommand: o.ParserCommand}, counters)
		if ctx.Err() != nil {
			return c
		}
		if c.Estimated = err == nil; !c.Estimated {
			s.log.Warn("what building anew takes is not known", "error", err)
		}
	}
	if s.held != nil && c.Estimated {
		s.held.tell(c.Rebuild)
	}
	if o.Rebuilding != nil {
		o.Rebuilding(c)
	}
	return c
}

// complete has answers be made of what is configured. The error is Conflict where
// somebody else has named another build since this run began.
func (s *builds) complete(ctx context.Context) error {
	if s.serving.Build == s.now.ID() {
		return nil
	}
	serving, err := bus.BuildsOf(s.bus).Serve(ctx, s.serving, s.now.ID())
	if errors.Is(err, bus.ErrConflict) {
		if serving, err = bus.BuildsOf(s.bus).Serving(ctx); err == nil && serving.Build != s.now.ID() {
			err = document.Errorf(document.Conflict, "another freshet on this log has answers be made of the build %s, while this one built %s: run them with one configuration", serving.Build, s.now.ID())
		}
	}
	if err != nil {
		return err
	}
	s.serving = serving
	return bus.AcceptedBuildOf(s.bus).Forget(ctx) // what is built another time is accepted anew
}

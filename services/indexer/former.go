package indexer

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// former are the sides of a build whose place another one takes.
type former struct {
	sides []sideRunner
	life  context.Context //nolint:containedctx // It ends with LeaveFormer, whoever runs the sides.
	leave context.CancelFunc
	ended chan struct{} // closed when the sides have ended
	using sync.RWMutex  // held by whoever goes through the stores beside a comparison
}

func newFormer() former {
	life, leave := context.WithCancel(context.Background())
	return former{life: life, leave: leave, ended: make(chan struct{})}
}

// open are the sides that are worked on.
func (s *Service) open() []sideRunner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sides)
}

// chunkerOf is the consumer of the chunker that makes a generation.
func (s *Service) chunkerOf(g document.Generation) contract.Consumer {
	if _, ok := s.deps.Former[g]; ok {
		return contract.ChunkerConsumer(s.deps.FormerBuild)
	}
	return s.deps.Chunker
}

// buildOf is the build whose chunker makes a generation.
func buildOf(s *Service, g document.Generation) contract.BuildID {
	if _, ok := s.deps.Former[g]; ok {
		return s.deps.FormerBuild
	}
	return cmp.Or(s.deps.Build, contract.BuildOf(g))
}

// collectionsWith are those of the build that makes a generation.
func collectionsWith(s *Service, g document.Generation) (out []document.Collection) {
	build := s.deps.Generations
	if _, ok := s.deps.Former[g]; ok {
		build = s.deps.Former
		for _, shared := range s.deps.Shared {
			out = append(out, contract.CollectionOf(shared))
		}
	}
	for other := range build {
		out = append(out, contract.CollectionOf(other))
	}
	return out
}

// followConfigured runs the sides of what is configured, from when it is begun.
func followConfigured(ctx context.Context, s *Service) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, side := range s.configured {
		g.Go(func() error {
			if waits(s, side) {
				if !bus.Begun(gctx, s.deps.Begin) {
					return nil
				}
				s.mu.Lock()
				s.sides = append(s.sides, side)
				s.mu.Unlock()
			}
			return side.follow(gctx, s.cfg, s.deps.Unclean)
		})
	}
	return g.Wait()
}

// waits reports whether a configured side has to wait for Begin.
func waits(s *Service, side sideRunner) bool {
	g, _ := side.Place()
	return s.deps.Begin != nil && !slices.Contains(s.deps.Shared, g)
}

// followFormer runs the sides of the former build until ctx ends or somebody has
// them left.
func (s *Service) followFormer(ctx context.Context) error {
	defer close(s.former.ended)
	g, gctx := errgroup.WithContext(ctx)
	life, end := context.WithCancel(gctx)
	defer end()
	defer context.AfterFunc(s.former.life, end)()
	for _, side := range s.former.sides {
		g.Go(func() error {
			if err := side.follow(life, s.cfg, s.deps.Unclean); err != nil && life.Err() == nil {
				return err
			}
			return nil
		})
	}
	return g.Wait()
}

// LeaveFormer ends what works on the former build, and returns when nobody uses
// its stores any more. It is called once, while Run runs.
func (s *Service) LeaveFormer(ctx context.Context) error {
	over, err := s.verifier.Turn(ctx) // a comparison goes through all stores
	if err != nil {
		return err
	}
	defer over()
	s.former.using.Lock()
	defer s.former.using.Unlock()
	s.mu.Lock()
	s.sides = slices.DeleteFunc(s.sides, func(side sideRunner) bool { return slices.Contains(s.former.sides, side) })
	s.mu.Unlock()
	s.former.leave()
	select {
	case <-s.former.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package freshet

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/document"
)

// member is a service that runs until its context ends and then drains.
type member struct {
	name string
	run  func(ctx context.Context) error
}

// live runs a member until life ends. Another end is an error.
func (m member) live(life context.Context) error {
	err := m.run(life)
	switch {
	case life.Err() != nil && (err == nil || errors.Is(err, context.Canceled)):
		return nil
	case err == nil:
		err = errStopped
	case document.KindOf(err) != document.Internal:
		return err // a sentence for the user already
	}
	return fmt.Errorf("run the %s: %w", m.name, err)
}

// errStopped is the error of a member that ended without being asked to.
var errStopped = errors.New("it stopped by itself")

// runCrew runs all members until ctx ends or one of them fails, then stops
// them one after the other in the given order, each drained before the next,
// so that nobody waits for a member that is gone. It returns the first failure.
func runCrew(ctx context.Context, members []member) error {
	g, stop := errgroup.WithContext(ctx)
	lives := make([]context.CancelFunc, len(members))
	drained := make([]chan struct{}, len(members))
	for i, m := range members {
		// A member outlives ctx until its turn to stop has come.
		life, cancel := context.WithCancel(context.WithoutCancel(ctx))
		lives[i], drained[i] = cancel, make(chan struct{})
		g.Go(func() error {
			defer close(drained[i])
			return m.live(life)
		})
	}
	g.Go(func() error {
		<-stop.Done()
		for i := range members {
			lives[i]()
			<-drained[i]
		}
		return nil
	})
	return g.Wait()
}

package freshet

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// acceptance asks about sources that are held, each once, and has those that
// are accepted indexed. It belongs to one goroutine.
type acceptance struct {
	nc  *nats.Conn
	ask func(ctx context.Context, held contract.SourceInfo) (bool, error) // may be nil

	asked   map[document.Source]bool
	wg      sync.WaitGroup
	done    chan error
	waiting int
}

func newAcceptance(nc *nats.Conn, o Options) *acceptance {
	return &acceptance{nc: nc, ask: o.Accept, asked: map[document.Source]bool{}, done: make(chan error)}
}

// look asks about what a status shows. Its error ends the run.
func (a *acceptance) look(ctx context.Context, st contract.StatusReply) error {
	for _, src := range st.Sources {
		if a.ask == nil || src.Held == "" || a.asked[src.Source] {
			continue
		}
		a.asked[src.Source] = true
		yes, err := a.ask(ctx, src)
		if err != nil {
			// Nothing of it is in the log, so nothing is to stay of it.
			_, rerr := client.RemoveSource.Ask(ctx, a.nc, contract.SourceRemove{Source: src.Source})
			return errors.Join(err, rerr)
		}
		if !yes {
			continue
		}
		a.waiting++
		a.wg.Go(func() {
			_, err := client.AddSource.Ask(ctx, a.nc, contract.SourceAdd{Root: src.Root, Accept: true})
			select {
			case a.done <- err:
			case <-ctx.Done():
			}
		})
	}
	return nil
}

// settled reports whether everything that was accepted is in the log.
func (a *acceptance) settled() (bool, error) {
	for a.waiting > 0 {
		select {
		case err := <-a.done:
			a.waiting--
			if err != nil {
				return false, err
			}
		default:
			return false, nil
		}
	}
	return true, nil
}

package freshet

import (
	"context"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

// hold keeps what is configured from being built until somebody accepts what it
// takes. What was complete before answers meanwhile. A nil hold keeps nothing.
type hold struct {
	bus   *bus.Bus
	build contract.BuildID
	begin chan struct{} // closed when it may be built
	above string        // by how much it is above the limits

	mu   sync.Mutex
	held *contract.HeldBuild // nil when it may be built
}

// above says by how much a rebuild is above the limits, "" where it is not. The
// limits are those of a source, and what counts is what has to be cut and embedded.
func above(left forecast.Collection, limits config.Limits) string {
	if left.Documents <= limits.Files && left.Bytes <= int64(limits.Bytes) {
		return ""
	}
	return fmt.Sprintf("%s, %s of text, have to be cut and embedded again, above the limit of %s, %s (limits.files, limits.bytes)",
		terminal.Documents(left.Documents), terminal.Bytes(left.Bytes), terminal.Documents(limits.Files), terminal.Bytes(int64(limits.Bytes)))
}

// hold decides whether what is configured may be built beside what was complete. It
// is called once, where that goes on being made.
func (s *builds) hold(ctx context.Context, limits config.Limits) (*hold, error) {
	left := s.left.Count().Left
	why := above(left, limits)
	if why == "" {
		return nil, nil
	}
	accepted, err := bus.AcceptedBuildOf(s.bus).ID(ctx)
	if err != nil || accepted == s.now.ID() {
		return nil, err
	}
	return &hold{
		bus: s.bus, build: s.now.ID(), begin: make(chan struct{}), above: why,
		held: &contract.HeldBuild{Why: why + ", and nothing of it is begun: what was there before answers, and follows changes", Documents: left.Documents, Bytes: left.Bytes},
	}, nil
}

// refusal is the error of a run that ends by itself, which cannot wait.
func (h *hold) refusal() error {
	return document.Errorf(document.TooLarge, "the index would be built in another way than before: %s, and nothing is begun", h.above).
		With(document.Action{Do: document.DoRaiseLimit, Setting: "limits"}, document.Action{Do: document.DoStart}, document.Action{Do: document.DoBuildAccept, Value: string(h.build)})
}

// begun is closed when what is configured may be built; nil where it may from the
// start.
func (h *hold) begun() <-chan struct{} {
	if h == nil {
		return nil
	}
	return h.begin
}

// now says why it is held; nil where it is not any more. It may be called by many.
func (h *hold) now() *contract.HeldBuild {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held
}

// tell adds to what is known what it would take.
func (h *hold) tell(r forecast.Rebuild) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		return
	}
	now := *h.held // others may have it
	now.Passages, now.Tokens, now.Seconds = r.Left.Passages.Value, r.Left.Tokens.Value, r.Left.Seconds
	now.Disk, now.Cost, now.CostNote = r.Disk.Log+r.Disk.Stores, r.Left.Cost, r.Left.CostNote
	h.held = &now
}

// run waits until somebody accepts, and then for the end.
func (h *hold) run(ctx context.Context) error {
	if h != nil {
		follow, stop := context.WithCancel(ctx)
		bus.AcceptedBuildOf(h.bus).Follow(follow, func(id contract.BuildID) {
			if id == h.build && h.now() != nil {
				h.mu.Lock()
				h.held = nil
				h.mu.Unlock()
				close(h.begin)
				stop()
			}
		})
		stop()
	}
	<-ctx.Done()
	return nil
}

// ask has somebody decide about what is held, as long as nobody else has.
func (h *hold) ask(ctx context.Context, b *bus.Bus, o Options, c Change) {
	asking, answered := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer answered()
	watching.Go(func() {
		if bus.Begun(asking, h.begin) {
			answered()
		}
	})
	if h.now() == nil || !o.AcceptBuild(asking, c) || asking.Err() != nil {
		return
	}
	if _, err := client.AcceptBuild.Ask(ctx, b.Conn(), contract.BuildAccept{Build: c.Held}); err != nil && ctx.Err() == nil {
		o.Log.Warn("what is held stays so", "build", c.Held, "error", err)
	}
}

// after has a service begin when what is configured may be built.
func (h *hold) after(run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if !bus.Begun(ctx, h.begun()) {
			return nil
		}
		return run(ctx)
	}
}

// clear takes away what stores hold of a build that is held, since an earlier run
// began it: nobody keeps them in step until somebody accepts it. What the log has
// of it stays, and is what they are filled with then.
func (h *hold) clear(of open.Options) error {
	of.Generations = nil
	return of.RemoveUnused()
}

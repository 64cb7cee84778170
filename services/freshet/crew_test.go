package freshet

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

// diary notes the order in which members end.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

// patient returns a member that runs until it is stopped.
func (d *diary) patient(name string, started *sync.WaitGroup) member {
	started.Add(1)
	return member{name, func(ctx context.Context) error {
		started.Done()
		<-ctx.Done()
		d.note(name)
		return ctx.Err()
	}}
}

func TestServices_StopInOrder(t *testing.T) {
	var d diary
	var started sync.WaitGroup
	members := []member{d.patient("watcher", &started), d.patient("indexer", &started), d.patient("query", &started)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { started.Wait(); cancel() }()
	if err := runCrew(ctx, members); err != nil {
		t.Fatal(err)
	}
	if want := []string{"watcher", "indexer", "query"}; !slices.Equal(d.lines, want) {
		t.Errorf("stopped in the order %v, want %v", d.lines, want)
	}
}

func TestFailureOfAService_StopsTheOthersAndIsTold(t *testing.T) {
	broken := errors.New("disk is gone")
	for name, c := range map[string]struct{ returns, want error }{
		"fails":          {broken, broken},
		"ends by itself": {nil, errStopped},
		// A member must not pass off its own trouble as the end of the run.
		"cancels itself": {context.Canceled, context.Canceled},
	} {
		var d diary
		var started sync.WaitGroup
		members := []member{
			d.patient("watcher", &started),
			{"chunker", func(context.Context) error { started.Wait(); return c.returns }},
			d.patient("query", &started),
		}
		err := runCrew(t.Context(), members)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "chunker") {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(d.lines, []string{"watcher", "query"}) {
			t.Errorf("%s: the others were stopped as %v", name, d.lines)
		}
	}
}

func TestFailureWhileDraining_IsTold(t *testing.T) {
	lost := errors.New("snapshot failed")
	ctx, cancel := context.WithCancel(t.Context())
	var d diary
	var started sync.WaitGroup
	late := member{"indexer", func(ctx context.Context) error { <-ctx.Done(); return lost }}
	members := []member{d.patient("watcher", &started), late}
	go func() { started.Wait(); cancel() }()
	if err := runCrew(ctx, members); !errors.Is(err, lost) {
		t.Errorf("got %v", err)
	}
}

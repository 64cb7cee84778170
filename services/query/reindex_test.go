package query

import (
	"context"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// looks is a context that calls meanwhile at one of the moments in which somebody looks
// whether it is over, as every request to the log does.
type looks struct {
	context.Context
	left      int
	meanwhile func()
}

func (l *looks) Done() <-chan struct{} {
	if l.left--; l.left == 0 {
		l.meanwhile()
	}
	return l.Context.Done()
}

// Who waits for another build until nothing is built any more has to find that it answers:
// whenever the switch comes, none is told to be built only once it does.
func TestSwitchWhileItIsAskedHowFarItIs_IsToldAsOneOfBoth(t *testing.T) {
	r := newRig(t)
	of := func(embedder string) contract.Build {
		return contract.NewBuild(contract.Cut{}, "words", contract.Embedding{Embedder: embedder, Dims: 256})
	}
	builds, before, now := bus.BuildsOf(r.bus), of("before"), of("now")
	for _, b := range []contract.Build{before, now} {
		if err := builds.Note(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	serve := func(b contract.Build) {
		serving, err := builds.Serving(t.Context())
		if err == nil {
			_, err = builds.Serve(t.Context(), serving, b.ID())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	answers := func(e *engine) {
		r.svc.handover.mu.Lock()
		defer r.svc.handover.mu.Unlock()
		r.svc.handover.former = e
	}
	moments := 0
	for switched := true; switched; moments++ {
		switched = false
		serve(before)
		answers(&engine{stores: r.svc.configured.stores}) // what is asked beside this looks at its generations
		told, _, _, err := reindexing{r.svc}.tell(&looks{t.Context(), moments + 1, func() {
			switched = true
			serve(now)
			answers(nil)
		}}, "")
		if err != nil {
			t.Fatal(err)
		}
		if told.Next == "" && told.Serving != now.ID() {
			t.Errorf("a switch at moment %d of asking is told as %+v", moments, told)
		}
	}
	if moments < 3 {
		t.Errorf("it was looked %d times", moments)
	}
}

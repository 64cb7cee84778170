package rollout

import (
	"context"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Another version of freshet may have another analyzer, and the same build otherwise:
// the log keeps its generations, and their lexical stores are others. What servers
// hold of the former ones has to go, too.

// formerAnalyzers are those that what is configured was made with before.
func (r *Reclaimer) formerAnalyzers(ctx context.Context) ([]string, error) {
	if r.DropTokens == nil {
		return nil, nil
	}
	return bus.BuildsOf(r.Bus).FormerAnalyzers(ctx, r.Keep.ID())
}

// dropTokens removes what was made with former analyzers that nobody has worked with
// for as long as the grace.
func (r *Reclaimer) dropTokens(ctx context.Context, former []string, using InUse) (removed bool, again time.Duration, err error) {
	if r.unused == nil {
		r.unused = map[string]time.Time{}
	}
	for _, signature := range former {
		switch {
		case signature == r.Keep.Analyzer:
			// Whoever went back to it works with it.
			if err := bus.BuildsOf(r.Bus).ForgetAnalyzer(ctx, r.Keep.ID(), signature); err != nil {
				return removed, again, err
			}
			continue
		case using.AnyAnalyzer || slices.Contains(using.Analyzers, signature):
			delete(r.unused, signature)
			continue
		case r.unused[signature].IsZero():
			r.unused[signature] = r.Bus.Now()
		}
		if left := r.Grace - r.Bus.Now().Sub(r.unused[signature]); left > 0 {
			if again == 0 || left < again {
				again = left
			}
			continue
		}
		if err := r.dropMadeWith(ctx, r.Keep, signature, r.Keep.Generations()); err != nil {
			return removed, again, err
		}
		delete(r.unused, signature)
		r.Log.Info("removed the lexical stores of another analyzer", "build", r.Keep.ID())
		removed = true
	}
	return removed, again, nil
}

// dropFormer removes what was made with analyzers that a build had before its last.
func (r *Reclaimer) dropFormer(ctx context.Context, build contract.Build, generations []document.Generation) error {
	if r.DropTokens == nil {
		return nil
	}
	former, err := bus.BuildsOf(r.Bus).FormerAnalyzers(ctx, build.ID())
	if err != nil {
		return err
	}
	for _, signature := range former {
		if err := r.dropMadeWith(ctx, build, signature, generations); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reclaimer) dropMadeWith(ctx context.Context, build contract.Build, signature string, generations []document.Generation) error {
	build.Analyzer = signature
	if err := r.DropTokens(ctx, build, generations); err != nil {
		return err
	}
	return bus.BuildsOf(r.Bus).ForgetAnalyzer(ctx, build.ID(), signature)
}

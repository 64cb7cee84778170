package bus

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func covers(versions map[document.View]document.Version) contract.Covers {
	var out contract.Covers
	for view, v := range versions {
		out = out.With(view, contract.Cover{Version: v, Hash: "h"})
	}
	return out
}

func TestFurtherFailure_IsAddedToTheLetterOfItsVersion(t *testing.T) {
	t.Parallel()
	type views = map[document.View]document.Version
	old := func(state contract.LetterState, v views) contract.DeadHead {
		return contract.DeadHead{Seq: 7, State: state, Covers: covers(v), Attempts: 3, Reason: "old"}
	}
	for name, c := range map[string]struct {
		old      contract.DeadHead
		now      views
		write    bool
		state    contract.LetterState
		covers   views
		attempts int
	}{
		"the first one":                  {contract.DeadHead{}, views{"w": 5}, true, "", views{"w": 5}, 2},
		"after a letter that is cleared": {contract.DeadHead{Seq: 7, Cleared: true, Covers: covers(views{"w": 4})}, views{"w": 5}, true, "", views{"w": 5}, 2},
		"of the next version":            {old(contract.LetterFailed, views{"w": 4}), views{"w": 5}, true, "", views{"w": 5}, 2},
		"of what was dismissed, again":   {old(contract.LetterDismissed, views{"w": 5}), views{"w": 5}, true, contract.LetterDismissed, views{"w": 5}, 5},
		"after a dismissed one":          {old(contract.LetterDismissed, views{"w": 4}), views{"w": 5}, true, "", views{"w": 5}, 2},
		"of a retry":                     {old(contract.LetterRetrying, views{"w": 5}), views{"w": 5}, true, "", views{"w": 5}, 5},
		"of an older version, late":      {old(contract.LetterRetrying, views{"w": 6}), views{"w": 5}, false, contract.LetterRetrying, views{"w": 6}, 3},
		"of another view":                {old(contract.LetterFailed, views{"w": 4}), views{"x": 5}, true, "", views{"w": 4, "x": 5}, 2},
	} {
		now, write := followed(c.old, contract.DeadHead{Covers: covers(c.now), Attempts: 2, Reason: "new"})
		if write != c.write || now.State != c.state || now.Attempts != c.attempts || now.Covers.String() != covers(c.covers).String() {
			t.Errorf("%s: %+v, written %v", name, now, write)
		}
	}
}

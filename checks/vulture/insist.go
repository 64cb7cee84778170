package vulture

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// insistence is how often something is asked for, at rest, that does not come in
// time; insistPause lies between.
const (
	insistence  = 5
	insistPause = time.Second
)

// insist asks once more for what did not come in time: at rest a slow machine is no
// reason for there to be no answer at all. It returns what the last one ended with.
func insist(ctx context.Context, ask func() error) error {
	for n := 1; ; n++ {
		err := ask()
		kind := document.KindOf(err)
		if n == insistence || kind != document.Deadline && kind != document.Unavailable {
			return err
		}
		select {
		case <-time.After(insistPause):
		case <-ctx.Done():
			return err
		}
	}
}

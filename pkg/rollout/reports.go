package rollout

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// reportWait is how long processes may take to say what they work on. Nobody knows
// how many there are. Who misses it is asked again before anything is taken away,
// and what is switched too early is no wrong answer.
const reportWait = 2 * time.Second

// builders are the services that make a build, or ask it.
var builders = []string{"chunker", "embedder", "indexer", "query"}

// reports asks all processes that make a build, or ask it.
func reports(ctx context.Context, b *bus.Bus) ([]contract.Report, error) {
	var out []contract.Report
	err := client.Reports(ctx, b.Conn(), reportWait, func(r contract.Report) (time.Duration, bool) {
		if slices.Contains(builders, r.Service) {
			out = append(out, r)
		}
		return 0, false
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Otherwise says which processes are configured for another build than now, and in
// what; "" for none. Those that do not say what they make are left out.
func Otherwise(now contract.Build, reports []contract.Report) string {
	var said []string
	for _, r := range reports {
		if r.Build == nil || len(now.Changes(*r.Build)) == 0 {
			continue
		}
		var fields []string
		for _, c := range now.Changes(*r.Build) {
			fields = append(fields, fmt.Sprintf("%s %s, not %s", c.Field, c.Now, c.Before))
		}
		said = append(said, fmt.Sprintf("%s %s has %s", r.Service, r.Instance, strings.Join(fields, ", ")))
	}
	slices.Sort(said)
	return strings.Join(said, "; ")
}

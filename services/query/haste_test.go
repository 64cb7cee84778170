package query

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// The index answers, only not as soon as this: nothing is unavailable.
func TestHastyQuestion_FailsByItsDeadline(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.stored("a.go", "alpha walrus\n")
	r.vector.hold = func(ctx context.Context) { <-ctx.Done() }
	ask := func(ms int) error {
		_, err := r.ask(contract.SearchRequest{Query: "alpha walrus", Off: []string{request.OffLexical}, DeadlineMS: ms})
		return err
	}
	for _, ms := range []int{1, 2, 5, 10, 200} {
		if err := ask(ms); document.KindOf(err) != document.Deadline {
			t.Errorf("with a deadline of %d ms: %v, want %s", ms, err, document.Deadline)
		}
	}
	// With time enough it is the engine that is too slow.
	if err := ask(60_000); document.KindOf(err) != document.Unavailable {
		t.Errorf("with time enough: %v, want %s", err, document.Unavailable)
	}
}

// On a busy machine the watcher may need a second for its answer.
func TestSlowWatcher_DoesNotDegradeAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.stored("a.go", "alpha walrus\n")
	r.search(contract.SearchRequest{Query: "walrus", Token: "latest"})
	<-time.After(1100 * time.Millisecond) // so that the list of sources is asked for again
	r.mu.Lock()                           // the watcher cannot say anything
	reply := r.search(contract.SearchRequest{Query: "walrus"})
	status, err := client.Status.Ask(r.Context(), r.bus.Conn(), client.None)
	r.mu.Unlock()
	says := func(list []string, what string) bool {
		return slices.ContainsFunc(list, func(d string) bool { return strings.HasPrefix(d, "watcher: it "+what) })
	}
	if says(reply.Degraded, "does not answer") {
		t.Errorf("degraded %q", reply.Degraded)
	}
	if err != nil || status.Ready || len(status.Sources) != 1 || says(status.Degraded, "does not answer") || !says(status.Degraded, "is slow to answer") {
		t.Errorf("status %+v: %v", status, err)
	}
}

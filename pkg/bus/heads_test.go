package bus_test

import (
	"runtime"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Who observes a table does so under its lock, and asks the Bus for other
// tables meanwhile. Old: Seen held the lock of the Bus while it waited for the
// table's, so that both waited for ever.
func TestObserverAsksForAnotherTable_SeenStillAnswers(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	files := b.Files()
	if err := files.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked, answered := make(chan struct{}), make(chan map[string]uint64, 1)
	cancel := files.Observe(func(bus.FileKey, contract.FileHead, contract.FileHead) {
		go func() {
			close(asked)
			answered <- b.Seen()
		}()
		<-asked
		for range 10_000 { // long enough for Seen to come to the lock of this table
			runtime.Gosched()
			b.Records()
		}
	})
	defer cancel()
	last := put(t, b, "wren.txt", "a wren", 0)
	if seen := <-answered; seen[contract.StreamFiles] != last {
		t.Errorf("seen up to %d, want %d", seen[contract.StreamFiles], last)
	}
}

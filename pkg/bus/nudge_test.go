package bus_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Two processes of one stage share its deliveries and its nudges, and mostly one
// gets the nudge of a live change and the other its delivery.
func TestLiveChangeWithTwoProcesses_IsMostlyDoneByOne(t *testing.T) {
	const changes = 10
	b := bustest.New(t)
	delivered, nudged := make(chan bool, changes), make(chan struct{}, changes)
	handle := func(m *bus.Msg) error {
		if m.Nudged {
			nudged <- struct{}{}
			return nil
		}
		// Work takes a while, in which the other process has the nudge.
		select {
		case <-nudged:
			delivered <- true
		case <-time.After(50 * time.Millisecond):
			delivered <- false
		}
		return nil
	}
	for range 2 {
		start(t, b, worker(each(handle)))
	}
	double := 0
	for i := range changes {
		path := document.Path(fmt.Sprintf("f%d.go", i))
		seq := put(t, b, path, "x", 0)
		b.Nudge(contract.StageChunker, contract.FileSubject("s", document.DocOf(path), document.Worktree), seq)
		if <-delivered {
			double++
		}
		for len(nudged) > 0 {
			<-nudged // of an earlier change
		}
	}
	// On a busy machine a delivery may take longer than its nudge waits.
	if double > changes/2 {
		t.Errorf("%d of %d changes were worked on by two processes", double, changes)
	}
}

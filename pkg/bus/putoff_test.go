package bus_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Two processes of one stage share its deliveries and its nudges, and mostly one
// gets the nudge of a live change and the other its delivery.
func TestLiveChangeIsDoneByTwoProcesses(t *testing.T) {
	const changes = 40
	b := bustest.New(t)
	var mu sync.Mutex
	done, double := map[uint64]bool{}, 0
	delivered := make(chan struct{}, changes)
	warm := put(t, b, "warm.go", "x", 0)
	listens := make(chan int, 1000)
	handle := func(i int, m *bus.Msg) error {
		if m.Seq == warm {
			if m.Nudged {
				listens <- i
			}
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if m.Nudged {
			done[m.Seq] = true
			return nil
		}
		if !done[m.Seq] {
			double++ // the nudge of it is on its way
		}
		delivered <- struct{}{}
		return nil
	}
	for i := range 2 {
		w := worker(each(func(m *bus.Msg) error { return handle(i, m) }))
		w.Batch = changes
		start(t, b, w)
	}
	// A nudge is lost before a worker listens; it is sent until both have had one.
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for heard := map[int]bool{}; len(heard) < 2; {
		select {
		case i := <-listens:
			heard[i] = true
		case <-tick.C:
			b.Nudge(contract.StageChunker, contract.FileSubject("s", document.DocOf("warm.go"), document.Worktree))
		}
	}
	for i := range changes {
		path := document.Path(fmt.Sprintf("f%d.go", i))
		doc := document.DocOf(path)
		head := contract.FileHead{Source: "s", Doc: doc, View: document.Worktree, Path: path, Op: contract.OpPut, Live: true}
		subject := contract.FileSubject("s", doc, document.Worktree)
		if ack := b.Publish(t.Context(), bus.Out{Subject: subject, Header: head.Header(), Body: []byte("x")})[0]; ack.Err != nil {
			t.Fatal(ack.Err)
		}
		b.Nudge(contract.StageChunker, subject)
	}
	for range changes {
		<-delivered
	}
	mu.Lock()
	defer mu.Unlock()
	// On a busy machine some nudges may take longer than they are given.
	if double > changes/2 {
		t.Errorf("%d of %d changes were worked on by two processes", double, changes)
	}
}

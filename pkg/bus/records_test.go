package bus_test

import (
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestConcurrentChangesOfARecord_AllCount(t *testing.T) {
	t.Parallel()
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	other, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	key := bus.RecordKey{Generation: "code-1", Sink: document.Vector}
	const each = 20
	var wg sync.WaitGroup
	for _, b := range []*bus.Bus{b, other} {
		wg.Go(func() {
			for range each {
				err := b.Records().Change(t.Context(), key, func(r contract.StoreRecord) (contract.StoreRecord, bool) {
					r.Store = "one"
					r.Position++
					return r, true
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, b := range []*bus.Bus{b, other} {
		seen := make(chan struct{}, 1)
		cancel := b.Records().Observe(func(bus.RecordKey, contract.StoreRecord, contract.StoreRecord) {
			select {
			case seen <- struct{}{}:
			default:
			}
		})
		for b.Records().Get(key).Position < 2*each {
			select {
			case <-seen:
			case <-t.Context().Done():
				t.Fatal("the record is not seen")
			}
		}
		cancel()
		if got := b.Records().Get(key).Position; got != 2*each {
			t.Errorf("after %d changes the record says %d", 2*each, got)
		}
	}
}

package bus

import (
	"log/slog"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Somebody else's keys among the marks of workers that died stand for no
// message; they ended the purger with a panic.
func TestForeignKeyAmongSuspects_IsPassedOver(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	kv, err := p.b.js.KeyValue(t.Context(), contract.BucketSuspects)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kept", "chunker", "a.b", "chunker.worker.7"} {
		if _, err := kv.Put(t.Context(), key, []byte("1")); err != nil {
			t.Fatal(err)
		}
	}
	found, err := newPurger(p.b, slog.New(slog.DiscardHandler), 0).suspects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !found[suspectKey(contract.StreamFiles, 7)] {
		t.Errorf("the mark of message 7 of FILES is missing: %v", found)
	}
}

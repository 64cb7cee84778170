//go:build sabotage

package indexer

import (
	"context"
	"os"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/store"
)

var sabotage = os.Getenv("FRESHET_SABOTAGE")

var (
	// skipDelete leaves the difference's deletes out.
	skipDelete = sabotage == "delete"
	// skipSweep finds what nobody lists, and leaves it.
	skipSweep = sabotage == "sweep"
	// skipMark takes any store for the one that the log knows, or for one that
	// did not go back.
	skipMark = sabotage == "store-id" || sabotage == "position"
)

// overlook gives a store the mark that nobody is alarmed by.
func (k *keeper[E]) overlook(ctx context.Context, m store.Mark) (store.Mark, error) {
	seen := m
	switch known := k.record().Store; {
	case known == "":
	case sabotage == "store-id":
		m.ID = known
	default:
		m.Position = max(m.Position, k.newestFor(m.ID))
	}
	if m == seen {
		return m, nil
	}
	if err := k.store.SetMark(ctx, m); err != nil {
		return m, err
	}
	key := bus.RecordKey{Generation: k.generation, Sink: k.sink}
	return m, k.bus.Records().Change(ctx, key, func(r contract.StoreRecord) (contract.StoreRecord, bool) {
		r.Position = max(r.Position, m.Position)
		return r, true
	})
}

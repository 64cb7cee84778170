package bus_test

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// A head table's consumer is made again when it is lost. A Close that came at
// such a moment used to stop the old subscription and then wait for ever for
// the new one.
func TestConsumerIsBeingMadeAgain_CloseReturns(t *testing.T) {
	t.Parallel()
	srv, admin := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	stream, err := admin.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	put(t, admin, "a.go", "one", 0)
	for round := range 60 {
		b, err := srv.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Files().Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		names := stream.ConsumerNames(t.Context())
		for name := range names.Name() {
			if err := stream.DeleteConsumer(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		if err := names.Err(); err != nil {
			t.Fatal(err)
		}
		// Another moment of the recovery in every round.
		time.Sleep(time.Duration(round) * 50 * time.Microsecond)
		b.Close()
	}
}

package freshet

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestQuestion_BeginsTheIdleTimeAnew(t *testing.T) {
	ready := make(chan struct{})
	close(ready)
	i := &idler{nc: bustest.New(t).Conn(), after: time.Hour, ready: ready, end: func() { t.Error("it has ended") }, log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- i.Run(ctx) }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i.last.Load() == 0 {
		<-tick.C
	}
	for _, subject := range []string{contract.SubjectSearch, contract.SubjectPut, contract.SubjectSourcesAdd} {
		before := i.last.Load()
		if err := i.nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		for i.last.Load() == before {
			<-tick.C
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

package client_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Who knows how many there are waits no longer than for these, and a moment.
func TestAllReportsThatAreWanted_EndTheWaiting(t *testing.T) {
	nc := bustest.New(t).Conn()
	for _, body := range []string{`{"service":"query"}`, `no report`, `{}`, `{"service":"indexer"}`} {
		if _, err := nc.Subscribe(contract.SubjectReport, func(m *nats.Msg) { _ = m.Respond([]byte(body)) }); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	began := time.Now()
	err := client.Reports(t.Context(), nc, time.Hour, func(r contract.Report) (time.Duration, bool) {
		got = append(got, r.Service)
		return time.Millisecond, len(got) == 2
	})
	if slices.Sort(got); err != nil || !slices.Equal(got, []string{"indexer", "query"}) || time.Since(began) > time.Minute {
		t.Errorf("reports of %v after %s, error %v, want those of indexer and query", got, time.Since(began), err)
	}
}

func TestNobodyKnowsHowManyReport_TheTimeEndsTheWaiting(t *testing.T) {
	err := client.Reports(t.Context(), bustest.New(t).Conn(), time.Millisecond, func(r contract.Report) (time.Duration, bool) {
		t.Errorf("%+v reported", r)
		return 0, false
	})
	if err != nil {
		t.Error(err)
	}
}

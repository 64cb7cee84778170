package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// transcript is a log that may be read while it is written.
type transcript struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (h *transcript) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.Write(p)
}

func (h *transcript) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buf.String()
}

// told is a connection with another log.
type told struct {
	rpc.Connection
	log *slog.Logger
}

func (c told) Log() *slog.Logger { return c.log }

// A handler that panics answers with an error, and whoever runs the service can
// see where; $SRV.STATS counts what handlers answer.
func TestHandlerPanics_CallerAndStatsAreTold(t *testing.T) {
	said := &transcript{}
	b := bustest.New(t)
	svc, err := rpc.NewService(told{b, slog.New(slog.NewTextHandler(said, nil))}, "fragile", "A service that breaks", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = svc.Stop() }()
	type question struct {
		Word string `json:"word" limit:"16"`
	}
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "ask", Subject: "fragile.ask"}, func(_ context.Context, q question) (question, error) {
		switch q.Word {
		case "panic":
			panic("out of luck")
		case "refuse":
			return q, document.Errorf(document.NotFound, "there is no such word")
		}
		return q, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]document.ErrorKind{"panic": document.Internal, "refuse": document.NotFound, "well": ""} {
		if _, err := rpc.Call[question, question](t.Context(), b.Conn(), "fragile.ask", question{word}); document.KindOf(err) != want {
			t.Errorf("%s: got %v, want %q", word, err, want)
		}
	}
	if text := said.String(); !strings.Contains(text, "out of luck") || !strings.Contains(text, "stats_test.go") {
		t.Errorf("the log says nothing of where it broke:\n%s", text)
	}
	// The answer comes before its handler is counted.
	var got rpc.Stats
	for got.Requests < 3 {
		endpoints := svc.Stats().Endpoints
		if len(endpoints) != 1 {
			t.Fatalf("%d endpoints are counted, want 1", len(endpoints))
		}
		if err := json.Unmarshal(endpoints[0].Data, &got); err != nil {
			t.Fatal(err)
		}
	}
	if got.Requests != 3 || got.Errors != 2 || got.LastError == "" || got.Processing <= 0 || got.Average <= 0 {
		t.Errorf("counted %+v, want 3 requests and 2 errors", got)
	}
}

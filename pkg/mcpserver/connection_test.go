package mcpserver

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// A freshet that was just started is busy. An agent's first question waits until it is
// known whether the project is watched; later ones do not.
func TestProjectNotKnownToBeWatched_TheListOfSourcesIsWaitedFor(t *testing.T) {
	nc := bustest.New(t).Conn()
	folder := t.TempDir()
	list, err := json.Marshal(contract.SourceList{Sources: []contract.SourceInfo{{Source: "project", Root: folder, Kind: contract.SourceFolder, Watched: true}}})
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan string, 1)
	if _, err := nc.Subscribe(contract.SubjectSourcesList, func(m *nats.Msg) {
		left <- m.Header.Get("Freshet-Deadline-Ms")
		_ = m.Respond(list)
	}); err != nil {
		t.Fatal(err)
	}
	s := &Server{link: link{given: nc, starter: &starter{}}, folder: folder}
	for n, longer := range []bool{true, false} {
		at, err := s.look(t.Context())
		if err != nil || at.own != "project" {
			t.Fatalf("question %d: %+v, %v", n, at, err)
		}
		waits, err := time.ParseDuration(<-left + "ms")
		if err != nil || longer != (waits > rootsTime) {
			t.Errorf("question %d waits for %s, %v, want longer than %s: %t", n, waits, err, rootsTime, longer)
		}
	}
}

// An answer out of everything else, or out of nothing, is none: an agent would take it
// for one about the project.
func TestProjectNotKnownToBeWatched_NothingIsAskedBeforeTheSourcesAre(t *testing.T) {
	bus := bustest.New(t)
	svc, err := rpc.NewService(bus, "busy", "has no answer in time", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var busy atomic.Int32
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "list", Subject: contract.SubjectSourcesList, Limit: 1}, func(context.Context, struct{}) (contract.SourceList, error) {
		if busy.Add(-1) >= 0 {
			return contract.SourceList{}, document.Errorf(document.Deadline, "other work is before this")
		}
		return contract.SourceList{Sources: []contract.SourceInfo{{Source: "project", Root: folder, Kind: contract.SourceFolder, Watched: true}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int32{1, 1000} {
		busy.Store(n)
		want := n == 1
		s := &Server{link: link{given: bus.Conn(), starter: &starter{}}, folder: folder}
		at, err := s.look(t.Context())
		switch {
		case want && (err != nil || at.own != "project" || len(at.notes) > 0):
			t.Errorf("one that is busy for a moment gives %+v, %v", at, err)
		case !want && document.KindOf(err) != document.Deadline:
			t.Errorf("one that stays busy gives %+v, %v", at, err)
		}
	}
}

package mcpserver

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
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

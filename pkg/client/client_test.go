package client_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// answer has a subject answered, with the time that the caller says it has.
func answer(t *testing.T, nc *nats.Conn, subject, body string) <-chan string {
	t.Helper()
	left := make(chan string, 1)
	_, err := nc.Subscribe(subject, func(m *nats.Msg) {
		left <- m.Header.Get("Freshet-Deadline-Ms")
		if body != "" {
			_ = m.Respond([]byte(body))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestNobodyAnswers_TheServiceIsUnavailable(t *testing.T) {
	_, err := client.Status.Ask(t.Context(), bustest.New(t).Conn(), client.None)
	if document.KindOf(err) != document.Unavailable {
		t.Errorf("got %v, want %s", err, document.Unavailable)
	}
}

func TestCallerLeavesBeforeTheAnswer_DeadlineIsTold(t *testing.T) {
	nc := bustest.New(t).Conn()
	asked := answer(t, nc, contract.SubjectSourcesList, "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := client.Sources.Ask(ctx, nc, client.None)
	if document.KindOf(err) != document.Deadline {
		t.Errorf("got %v, want %s", err, document.Deadline)
	}
	if _, err := time.ParseDuration(<-asked + "ms"); err != nil {
		t.Error(err)
	}
}

func TestAnswerOfAnotherVersion_IsAVersionMismatch(t *testing.T) {
	nc := bustest.New(t).Conn()
	answer(t, nc, contract.SubjectSourcesList, `{"sources": "none"}`)
	_, err := client.Sources.Ask(t.Context(), nc, client.None)
	if document.KindOf(err) != document.VersionMismatch {
		t.Errorf("got %v, want %s", err, document.VersionMismatch)
	}
}

func TestRawAnswer_IsGivenAsItCame(t *testing.T) {
	nc := bustest.New(t).Conn()
	const sent = `{"sources": [{"source": "here", "unknown": 1}]}`
	answer(t, nc, contract.SubjectSourcesList, sent)
	raw, list, err := client.Sources.Raw(t.Context(), nc, client.None)
	if err != nil || string(raw) != sent || len(list.Sources) != 1 || list.Sources[0].Source != "here" {
		t.Errorf("got %s, %+v, %v", raw, list, err)
	}
}

// A search waits for its own deadline, however long; without one as long as a service
// may have been given by its configuration.
func TestSearchWithALongDeadline_IsWaitedForThatLong(t *testing.T) {
	nc := bustest.New(t).Conn()
	js, err := json.Marshal(contract.SearchReply{})
	if err != nil {
		t.Fatal(err)
	}
	asked := answer(t, nc, contract.SubjectSearch, string(js))
	for deadline, atLeast := range map[time.Duration]time.Duration{time.Minute: time.Minute, 0: 30 * time.Second} {
		if _, err := client.Search.Ask(t.Context(), nc, contract.SearchRequest{Query: "x", DeadlineMS: int(deadline.Milliseconds())}); err != nil {
			t.Fatal(err)
		}
		left, err := time.ParseDuration(<-asked + "ms")
		if err != nil || left < atLeast || left > atLeast+10*time.Second {
			t.Errorf("with a deadline of %s the service hears of %s: %v", deadline, left, err)
		}
	}
}

package servers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// Elasticsearch answers questions while it still works at something that it was
// asked before.
func TestGivenServerWithTasks_IsWaitedFor(t *testing.T) {
	var asked atomic.Int32
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"number_of_pending_tasks":%d,"number_of_in_flight_fetch":0}`, max(0, 2-asked.Add(1)))
	}))
	defer busy.Close()
	t.Setenv("ELASTIC_URL", busy.URL)
	s, err := servers.Elasticsearch(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.URL(), busy.URL; got != want || asked.Load() != 2 {
		t.Errorf("%s after %d questions, want %s after 2", got, asked.Load(), want)
	}
}

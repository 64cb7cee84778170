package bus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
)

func keep(t *testing.T, b *bus.Bus, about, body string) uint64 {
	t.Helper()
	seq, _, err := bus.FeedbackOf(b).Keep(t.Context(), contract.FeedbackEventSubject(about), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// heard returns the bodies of all events.
func heard(t *testing.T, b *bus.Bus) []string {
	t.Helper()
	page, more, err := bus.FeedbackOf(b).Page(t.Context(), 0, 1000, 16<<20)
	if err != nil || more {
		t.Fatal(more, err)
	}
	var out []string
	for _, m := range page {
		body, err := m.Body(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(body))
	}
	return out
}

func TestFullFeedback_LosesTheOldest(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	s, err := b.JetStream().Stream(t.Context(), contract.StreamFeedback)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	if cfg.MaxAge == 0 || cfg.MaxBytes <= 0 {
		t.Errorf("it has no limits: %+v", cfg)
	}
	cfg.MaxBytes = 64 << 10
	if _, err := b.JetStream().UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	// What an administrator has set is left alone.
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 4<<10)
	for i := range 40 {
		keep(t, b, fmt.Sprint(i), fmt.Sprintf("%d %s", i, long))
	}
	left := heard(t, b)
	if len(left) == 0 || len(left) > 16 {
		t.Fatalf("%d of 40 events are left", len(left))
	}
	for i, body := range left {
		if want := fmt.Sprintf("%d ", 40-len(left)+i); !strings.HasPrefix(body, want) {
			t.Errorf("event %d of those left is %.5q, not %q", i, body, want)
		}
	}
}

// Of the same hits the last opinions are kept.
func TestManyOpinionsOnOneAnswer_TheLastAreKept(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	for i := range 40 {
		keep(t, b, "same", fmt.Sprint(i))
	}
	if left := heard(t, b); len(left) != 16 || left[15] != "39" {
		t.Errorf("%q are left", left)
	}
}

// The start after an unclean stop looks for what contradicts FILES, and for the
// consumers of stages. Feedback is neither.
func TestUncleanStart_KeepsFeedback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv, err := embedded.Start(embedded.Config{Dir: dir, Port: embedded.NoListen})
	if err != nil {
		t.Fatal(err)
	}
	b, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	put(t, b, "a.go", "x", 0)
	want := []string{"one", "two"}
	for _, body := range want {
		keep(t, b, "a", body)
	}
	b.Close()
	if err := srv.Shutdown(); err != nil {
		t.Fatal(err)
	}
	removeCleanMarker(t, dir)

	_, b = bustest.NewServer(t, embedded.Config{Dir: dir, Port: embedded.NoListen})
	if have := heard(t, b); !slices.Equal(have, want) {
		t.Errorf("after the start there are %q", have)
	}
	if _, repeated, err := bus.FeedbackOf(b).Keep(t.Context(), contract.FeedbackEventSubject("a"), []byte("two")); err != nil || !repeated {
		t.Errorf("a repeated event counts again after the start: %v, %v", repeated, err)
	}
}

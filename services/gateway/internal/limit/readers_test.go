package limit

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Clients that send a byte at a time hold all the room there is. Whoever comes gets the
// room of the slowest, once that one had its time.
func TestSlowBodiesWhereOthersWait_TheOldestYields(t *testing.T) {
	l := NewReaders("POST /search", 2, 0)
	now := time.Unix(1_000, 0)
	l.now = func() time.Time { return now }
	var cut []string
	take := func(name string) (*Reader, error) {
		return l.Take(func() { cut = append(cut, name) })
	}
	must := func(name string) *Reader {
		t.Helper()
		r, err := take(name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := must("first")
	now = now.Add(patience / 2)
	second := must("second")
	if _, err := take("third"); document.KindOf(err) != document.Unavailable || len(cut) > 0 {
		t.Errorf("within the time of the first: %v, cut %q", err, cut)
	}
	now = now.Add(patience / 2)
	third := must("third")
	if len(cut) != 1 || cut[0] != "first" {
		t.Errorf("cut %q, want the first", cut)
	}
	if err := first.Leave(); document.KindOf(err) != document.Unavailable {
		t.Errorf("the first is told %v", err)
	}
	if _, err := take("fourth"); document.KindOf(err) != document.Unavailable {
		t.Errorf("what has yielded gives its room back twice: %v", err)
	}
	for _, r := range []*Reader{second, third, third} {
		if err := r.Leave(); err != nil {
			t.Error(err)
		}
	}
	must("fourth")
	must("fifth")
	if len(cut) != 1 {
		t.Errorf("cut %q although there was room", cut)
	}
}

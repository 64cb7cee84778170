package freshness

import (
	"math/rand/v2"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// TestUnsettledVersion_IsNeverTakenForSettled compares with a list of all versions:
// the estimate may be older than the truth, never newer.
func TestUnsettledVersion_IsNeverTakenForSettled(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		u := &unsettled{}
		var truth []document.Version
		v := document.Version(10)
		for range 60 {
			// Some versions are replaced before anybody sees them.
			lower := document.Version(0)
			for range 1 + random.IntN(3) {
				v += document.Version(1 + random.IntN(5))
				truth = append(truth, v)
				if lower == 0 {
					lower = v
				}
			}
			u.head = contract.FileHead{Version: v}
			u.add(step{lower: lower, version: v})
			if random.IntN(3) == 0 {
				sink := random.IntN(2)
				u.cover[sink] = max(u.cover[sink], truth[random.IntN(len(truth))])
			}
			for sink := range 2 {
				var oldest document.Version
				for _, x := range truth {
					if x > u.cover[sink] {
						oldest = x
						break
					}
				}
				got := u.oldest(sink)
				if oldest == 0 != (got == 0) || got > oldest {
					t.Fatalf("seed %d: oldest unsettled is %d, taken for %d (cover %d, steps %+v)", seed, oldest, got, u.cover[sink], u.steps)
				}
				if len(u.steps) < maxSteps && len(truth) < 4 && got != 0 && got != oldest && u.cover[sink] == 0 {
					t.Fatalf("seed %d: %d is known exactly, taken for %d", seed, oldest, got)
				}
			}
		}
	}
}

func TestGap_IsRemembered(t *testing.T) {
	q := queue{}
	q.loaded(100)
	see := func(old, now document.Version) document.Version {
		q.noteGap(now)
		got := q.firstPossible(old, now)
		q.last = max(q.last, now)
		return got
	}
	if got := see(0, 101); got != 101 {
		t.Errorf("a new document at 101: %d", got)
	}
	if got := see(50, 105); got != 102 {
		t.Errorf("102 to 104 did not come, so 105 may have had an older version: %d", got)
	}
	if got := see(105, 106); got != 106 {
		t.Errorf("nothing is missing between 105 and 106: %d", got)
	}
	if got := see(103, 107); got != 104 {
		t.Errorf("104 may have been one of the document at 103: %d", got)
	}
}

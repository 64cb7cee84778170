package segment

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// TopK keeps the best k rows of a search, in the order of store.Hit.Compare. It is a heap
// whose root is the worst of them; it grows with what is offered, so that a
// large k costs nothing by itself.
type TopK struct {
	k    int
	heap []candidate
}

type candidate struct {
	score float64
	id    document.ChunkID
	rows  *Rows
	row   uint32
}

// before is the order of the hits.
func (c candidate) before(d candidate) bool {
	if c.score != d.score {
		return c.score > d.score
	}
	if n := c.rows.compareTied(c.row, d.rows, d.row); n != 0 {
		return n < 0
	}
	return c.id.Compare(d.id) < 0
}

// NewTopK returns an empty TopK for k ≥ 1.
func NewTopK(k int) *TopK { return &TopK{k: k} }

// Wants reports whether a row with this score could still enter; it is meant
// to be asked before the costlier questions about the row.
func (t *TopK) Wants(score float64) bool {
	return len(t.heap) < t.k || score >= t.heap[0].score
}

// Offer adds a row when it is among the best.
func (t *TopK) Offer(score float64, rows *Rows, row uint32) {
	t.offer(candidate{score: score, id: rows.ID(row), rows: rows, row: row})
}

func (t *TopK) offer(c candidate) {
	if len(t.heap) < t.k {
		t.heap = append(t.heap, c)
		for i := len(t.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if !t.heap[parent].before(t.heap[i]) {
				break
			}
			t.heap[parent], t.heap[i] = t.heap[i], t.heap[parent]
			i = parent
		}
		return
	}
	if !c.before(t.heap[0]) {
		return
	}
	t.heap[0] = c
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.heap[worst].before(t.heap[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}

// Take moves everything that other holds into t.
func (t *TopK) Take(other *TopK) {
	for _, c := range other.heap {
		t.offer(c)
	}
	other.heap = nil
}

// Hits returns what was kept, best first.
func (t *TopK) Hits() []store.Hit {
	slices.SortFunc(t.heap, func(a, b candidate) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	out := make([]store.Hit, len(t.heap))
	for i, c := range t.heap {
		out[i] = store.Hit{ID: c.id, Score: c.score, Attrs: c.rows.Attrs(c.row)}
	}
	return out
}

package mine

import (
	"cmp"
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/lab/eval"
)

// Report says what was made.
type Report struct {
	Sources []string `json:"sources"`
	Out     string   `json:"out"`
	Group   string   `json:"group"`
	Seed    uint64   `json:"seed"`
	// Files and Bytes are those of the corpus that was written, LeftOut the
	// files that were taken out so that nothing answers.
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
	LeftOut int    `json:"left_out"`
	Made    []Made `json:"made"`
	// Left is what was looked at and made no task. Not everything is looked at:
	// only as much as the tasks need.
	Left  []Left   `json:"left"`
	Notes []string `json:"notes"` // sentences
}

// Made counts the tasks of a kind and language.
type Made struct {
	Kind     string `json:"kind"`
	Language string `json:"language,omitempty"`
	Tasks    int    `json:"tasks"`
}

// Left counts what was left out for a reason.
type Left struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"` // reads on behind the thing that is left out
	Count  int    `json:"count"`
}

// tally counts what is left out. It is safe for concurrent use.
type tally struct {
	mu   sync.Mutex
	left map[Left]int // by kind and reason
}

func newTally() *tally { return &tally{left: map[Left]int{}} }

func (t *tally) leave(kind, reason string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left[Left{Kind: kind, Reason: reason}] += n
}

// list is what was left out, the most frequent reason of each kind first.
func (t *tally) list() []Left {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []Left{}
	for l, n := range t.left {
		if n > 0 {
			l.Count = n
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b Left) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

func made(tasks []eval.Task) []Made {
	counts := map[Made]int{}
	for _, t := range tasks {
		counts[Made{Kind: t.Kind, Language: t.Language}]++
	}
	out := []Made{}
	for m, n := range counts {
		m.Tasks = n
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Made) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)), cmp.Compare(b.Tasks, a.Tasks), cmp.Compare(a.Language, b.Language))
	})
	return out
}

// Package ranks holds the answers to the task sets of this project against those
// that are kept in a file: of each question the first ten hits.
package ranks

import (
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
)

// depth is how many hits of a question are kept.
const depth = 10

// Ranks are the first hits of every question of a task set.
type Ranks struct {
	Set string
	// Made says what the corpus and the figures are made of, one thing a line,
	// such as a module with its version. Ranks of others do not compare.
	Made      []string
	Questions []Question
}

// Question is a question with its first hits, best first, as path:first-last.
type Question struct {
	ID, Text string
	Hits     []string
}

// Of takes the ranks of a saved run. An answer that lacks something, such as one
// of the two engines at a deadline, is an error: it says nothing of the ranking.
func Of(set string, made []string, run *eval.Saved) (*Ranks, error) {
	r := &Ranks{Set: set, Made: made}
	for i := range run.Answers {
		a := &run.Answers[i]
		if a.Error != "" || a.Pending > 0 || len(a.Degraded) > 0 {
			return nil, document.Errorf(document.Unavailable, "the answer to %q of the set %s is not whole (%s), so that its ranks say nothing: ask again on a less busy machine",
				a.Query, set, strings.Join(append([]string{a.Error, fmt.Sprintf("%d pending", a.Pending)}, a.Degraded...), "; "))
		}
		q := Question{ID: a.ID, Text: strings.Join(strings.Fields(a.Query), " ")}
		for _, h := range a.Hits[:min(len(a.Hits), depth)] {
			q.Hits = append(q.Hits, fmt.Sprintf("%s:%d-%d", h.Path, h.StartLine, h.EndLine))
		}
		r.Questions = append(r.Questions, q)
	}
	return r, nil
}

package feedback

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Category is that of the tasks, and their kind.
const Category = "feedback"

// The gains of a passage: somebody said that it answers, or at least looked.
const (
	gradeUp     = 2
	gradeOpened = 1
)

// question is what was asked, of the source that an answer to it is from: paths
// are relative to it, so that tasks of two sources cannot be one.
type question struct {
	query  string
	source document.Source
}

// opinion is the last word on a passage.
type opinion struct {
	hit  contract.FeedbackHit
	kind contract.FeedbackKind
}

// Tasks merges events, the oldest first, into one task for each question and
// source, in the order in which they were asked. The last event on a passage
// counts, except that opening it once more takes no thumb up back. A passage
// with a thumb down is left out, and so is a question that nothing is left of.
func Tasks(events []contract.FeedbackEvent) []eval.Task {
	var order []question
	opinions := map[question][]opinion{}
	for _, e := range events {
		if e.Kind == contract.FeedbackShown {
			continue
		}
		for _, h := range e.Hits {
			q := question{asked(e.Query), h.Source}
			if _, known := opinions[q]; !known {
				order = append(order, q)
			}
			opinions[q] = decide(opinions[q], opinion{h, e.Kind})
		}
	}
	var tasks []eval.Task
	for _, q := range order {
		t := eval.Task{ID: q.id(), Query: q.query, Category: Category, Kind: Category, Group: string(q.source), Source: q.source}
		for _, o := range opinions[q] {
			if o.kind != contract.FeedbackDown {
				t.Relevant = append(t.Relevant, o.target())
			}
		}
		if len(t.Relevant) > 0 {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// asked is a query without the white space that no search sees.
func asked(query string) string { return strings.Join(strings.Fields(query), " ") }

// id is the same in every export.
func (q question) id() string {
	sum := sha256.Sum256([]byte(string(q.source) + "\x00" + q.query))
	return Category + "-" + hex.EncodeToString(sum[:8])
}

// decide adds an opinion to earlier ones.
func decide(before []opinion, now opinion) []opinion {
	if now.kind == contract.FeedbackOpened && slices.ContainsFunc(before, func(o opinion) bool {
		return o.kind == contract.FeedbackUp && covers(now.hit, o.hit)
	}) {
		return before
	}
	before = slices.DeleteFunc(before, func(o opinion) bool { return covers(now.hit, o.hit) })
	return append(before, now)
}

// covers reports whether what is said of a hit is said of another one, too: of
// the same passage, or of one that it shares most of the lines with, as after an
// edit. What is said of a whole document is said of all its passages, and not
// the other way round.
func covers(now, before contract.FeedbackHit) bool {
	switch {
	case now.Path != before.Path:
		return false
	case now.StartLine == 0:
		return true
	case before.StartLine == 0:
		return false
	case now.ID == before.ID && now.ID != (document.ChunkID{}):
		return true
	}
	shared := min(now.EndLine, before.EndLine) - max(now.StartLine, before.StartLine) + 1
	shorter := min(now.EndLine-now.StartLine, before.EndLine-before.StartLine) + 1
	return 2*shared > shorter
}

func (o opinion) target() eval.Target {
	t := eval.Target{Path: o.hit.Path.Raw(), StartLine: o.hit.StartLine, EndLine: o.hit.EndLine, Grade: gradeOpened}
	if o.kind == contract.FeedbackUp {
		t.Grade = gradeUp
	}
	return t
}

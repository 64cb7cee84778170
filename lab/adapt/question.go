package adapt

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/embed/static"
)

// question is a task with what answers it.
type question struct {
	task     eval.Task // its group is its file, its targets are files of the book
	bag      static.Bag
	passages []int // the best one first
}

// ask finds the passages of the tasks; unanswered counts those without any.
func (b *book) ask(o *Options, model *static.Embedder) (list []question, unanswered int) {
	for i, c := range o.Corpora {
		for _, t := range c.Tasks {
			q := question{task: t, bag: model.Bag(t.Query)}
			q.task.ID = fmt.Sprintf("%d/%s", i, t.ID)
			q.task.Relevant = slices.Clone(t.Relevant)
			for k := range q.task.Relevant {
				target := &q.task.Relevant[k]
				target.Path = path.Join(o.prefix(i), target.Path)
				q.passages = append(q.passages, b.answering(target)...)
			}
			if len(q.passages) == 0 || len(q.bag.IDs) == 0 {
				unanswered++
				continue
			}
			q.task.Group = b.passages[q.passages[0]].file
			list = append(list, q)
		}
	}
	return list, unanswered
}

// answering lists the passages of a target, the one that holds most of it first.
func (b *book) answering(t *eval.Target) []int {
	type holder struct{ passage, lines int }
	var list []holder
	s := b.files[t.Path]
	for i := s.from; i < s.to; i++ {
		p := &b.passages[i]
		if t.Found(p.hit()) {
			list = append(list, holder{i, min(p.end, t.EndLine) - max(p.start, t.StartLine)})
		}
	}
	slices.SortStableFunc(list, func(a, b holder) int { return cmp.Compare(b.lines, a.lines) })
	out := make([]int, len(list))
	for i, h := range list {
		out[i] = h.passage
	}
	return out
}

// part says what becomes of the questions of a file.
type part int

const (
	fit part = iota
	dev
	held
)

// partOf divides by file, so that no held-back question asks about a passage
// beside one that was learnt from.
func (o *Options) partOf(file string) part {
	switch n := chance(o.Train.Seed, file, parts); {
	case n < heldParts, o.Apart != nil && o.Apart(file):
		return held
	case n < heldParts+devParts:
		return dev
	}
	return fit
}

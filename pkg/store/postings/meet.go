package postings

import (
	"cmp"
	"slices"

	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// meet scores the rows of a part that hold every required term, and offers
// those that are live and match. It goes along the shortest of their lists, and
// each other one follows.
func (w *weigher) meet(part *segment.Part[*inverted], lists []list, matcher *segment.Matcher, top *segment.TopK) {
	slices.SortFunc(lists, func(a, b list) int {
		if a.required != b.required {
			if a.required {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.left, b.left)
	})
	if len(lists) < w.required || !lists[w.required-1].required {
		return // the part has not got all of them
	}
	lead := &lists[0].posting
	for more := true; more; more = lead.next() {
		row := lead.row
		held, ended := w.all(lists, row)
		if held && !part.Dead.Has(row) && matcher.Match(row) {
			if score := w.score(lists, row, float64(segment.Uint32At(part.Payload.lengths, row))); top.Wants(score) {
				top.Offer(score, part.Rows, row)
			}
		}
		if ended {
			return
		}
	}
}

// all reports whether a row holds every required term, and whether one of their
// lists ended before it.
func (w *weigher) all(lists []list, row uint32) (held, ended bool) {
	for i := range lists[:w.required] {
		if l := &lists[i]; !l.reach(row) {
			return false, l.done
		}
	}
	return true, false
}

// reach goes on to a row; false where the list has not got it.
func (l *list) reach(row uint32) bool {
	for !l.done && l.row < row {
		l.done = !l.next()
	}
	return !l.done && l.row == row
}

// score is that of a row by every term that it holds.
func (w *weigher) score(lists []list, row uint32, length float64) float64 {
	sum := 0.0
	for i := range lists {
		if l := &lists[i]; l.reach(row) {
			tf := float64(l.tf)
			sum += w.factors[l.term] * tf / (tf + w.fixed + w.perLen*length)
		}
	}
	return sum
}

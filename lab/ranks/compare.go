package ranks

import (
	"fmt"
	"slices"
	"strings"
)

// MadeOfOther says in what two corpora differ, "" for nothing.
func MadeOfOther(was, now *Ranks) string {
	var parts []string
	for _, m := range was.Made {
		if !slices.Contains(now.Made, m) {
			parts = append(parts, "was "+m)
		}
	}
	for _, m := range now.Made {
		if !slices.Contains(was.Made, m) {
			parts = append(parts, "is "+m)
		}
	}
	return strings.Join(parts, ", ")
}

// Differences are the questions whose hits are others than they were, each with
// its old and new hit at every rank that differs; and how many these are.
func Differences(was, now *Ranks) (text string, count int) {
	old := make(map[string]*Question, len(was.Questions))
	for i := range was.Questions {
		old[was.Questions[i].ID] = &was.Questions[i]
	}
	var b strings.Builder
	for i := range now.Questions {
		q := &now.Questions[i]
		before := old[q.ID]
		delete(old, q.ID)
		switch {
		case before == nil:
			count++
			fmt.Fprintf(&b, "%s: %s\n  was not asked\n", now.Set, q.Text)
		case before.Text != q.Text || !slices.Equal(before.Hits, q.Hits):
			count++
			fmt.Fprintf(&b, "%s: %s\n", now.Set, q.Text)
			compareHits(&b, before, q)
		}
	}
	for i := range was.Questions {
		if q := &was.Questions[i]; old[q.ID] != nil {
			count++
			fmt.Fprintf(&b, "%s: %s\n  is not asked any more\n", now.Set, q.Text)
		}
	}
	return b.String(), count
}

func compareHits(b *strings.Builder, was, now *Question) {
	if was.Text != now.Text {
		fmt.Fprintf(b, "  was asked as: %s\n", was.Text)
	}
	at := func(hits []string, i int) string {
		if i < len(hits) {
			return hits[i]
		}
		return "nothing"
	}
	for i := range max(len(was.Hits), len(now.Hits)) {
		if o, n := at(was.Hits, i), at(now.Hits, i); o != n {
			fmt.Fprintf(b, "  %2d  was %s\n      is  %s\n", i+1, o, n)
		}
	}
}

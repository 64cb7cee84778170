package query

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/fold"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// foldCopies is the stage that lists a text once that stands in several places,
// with the others beside it. Resolution has shown as many passages more.
func foldCopies(_ context.Context, q *search) (report, error) {
	f := newFolding(q)
	f.lose = q.lose
	all := slices.Concat(q.resolved.Shown, q.resolved.Held)
	shown := 0
	for i := range all {
		if i == len(q.resolved.Shown) {
			shown = len(f.kept)
		}
		f.take(&all[i])
	}
	if len(q.resolved.Held) == 0 {
		shown = len(f.kept)
	}
	kept := make([]resolve.Shown, len(f.kept))
	for i, s := range f.kept {
		kept[i] = *s
	}
	q.resolved.Shown, q.resolved.Held = kept[:shown:shown], kept[shown:]
	folded := len(all) - len(kept)
	return report{in: len(all), out: len(kept), note: note(folded > 0, "%d folded", folded)}, nil
}

func countShown(q *search) int { return len(q.resolved.Shown) + len(q.resolved.Held) }

// folding tells of passages, best first, which say the same as one before them. A
// passage is folded only where whoever asks loses nothing: it has no word of the
// question, in text, path and names, that the one in its place lacks, is in no file,
// folder or source that was asked for and the other is not in, and, where its
// document is pending, is the same byte for byte.
type folding struct {
	q     *search
	texts fold.Texts
	kept  []*resolve.Shown
	words *cover.Words
	named func(*resolve.Shown) bool
	lose  func(s *resolve.Shown, stage, why string)
}

func newFolding(q *search) *folding {
	text := strings.Join(append([]string{meant(q)}, q.req.Variants...), "\n")
	named := namesFile(q)
	return &folding{
		q: q, words: cover.New(text, q.service.analyzer, func(string) float64 { return 1 }),
		named: func(s *resolve.Shown) bool { return named(s.Head.Path) },
		lose:  func(*resolve.Shown, string, string) {},
	}
}

// take reports whether a passage is a copy of one before it, which then stands for
// it; of two the one of a source that is the asker's own stands for the other.
func (f *folding) take(n *resolve.Shown) bool {
	text := fold.Prepare(n.Text)
	for _, m := range f.texts.Like(&text) {
		one := f.kept[m.Of]
		if !m.Same && (one.Pending || n.Pending) {
			continue
		}
		if f.isOwn(n) && !f.isOwn(one) {
			if !f.standsFor(n, one, m.Same) {
				continue
			}
			// The scores stay in their places.
			n.Candidate.Final, n.Copies, one.Copies = one.Candidate.Final, one.Copies, nil
			f.kept[m.Of], one, n = n, n, one
		} else if !f.standsFor(one, n, m.Same) {
			continue
		}
		one.Copies = append(one.Copies, resolve.Copy{Head: n.Head, Span: n.Span, Differs: !m.Same})
		f.lose(n, resolve.Folded, fmt.Sprintf("it says the same as lines %d to %d of %s in the source %s, which stand for it", one.Span.StartLine, one.Span.EndLine, one.Head.Path, one.Head.Source))
		return true
	}
	f.texts.Keep(&text)
	f.kept = append(f.kept, n)
	return false
}

func (f *folding) isOwn(s *resolve.Shown) bool { return slices.Contains(f.q.req.Own, s.Head.Source) }

// standsFor reports whether a passage has all that was asked for of another one.
func (f *folding) standsFor(one, other *resolve.Shown, same bool) bool {
	req, a, b := f.q.req, &one.Candidate, &other.Candidate
	switch {
	case len(req.Sources) > 1 && one.Head.Source != other.Head.Source,
		!req.Paths.Any() && !slices.Equal(req.Paths.Entries(one.Head.Path), req.Paths.Entries(other.Head.Path)),
		f.named(other) && one.Head.Path != other.Head.Path,
		b.Placed.Rank > 0 && a.Placed.Rank == 0,
		!same && (b.Verbatim.Rank > 0 && a.Verbatim.Rank == 0 || b.Named.Rank > 0 && a.Named.Rank == 0):
		return false
	}
	held := f.inNames(other)
	if !same {
		held |= f.words.In(other.Text)
	}
	return held&^(f.inNames(one)|f.words.In(one.Text)) == 0
}

// inNames returns the words of the question in a passage's path and names.
func (f *folding) inNames(s *resolve.Shown) cover.Set {
	held := f.words.In([]byte(s.Head.Path.Raw() + " " + s.Span.Symbol + " " + strings.Join(s.Span.Names, " ")))
	for _, heading := range s.Span.Headings {
		held |= f.words.In([]byte(heading))
	}
	return held
}

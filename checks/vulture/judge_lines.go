package vulture

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// linesVerdict judges an answer of lines by what the world holds now: every
// document that is shown, and every one that is not.
func (j *judge) linesVerdict(a answer) {
	j.backwards(a)
	is := a.lines.expression()
	shown := map[spot]bool{}
	for _, f := range a.lines.reply.Files {
		at := spot{f.Source, f.Path}
		if !j.ours(f.Source, f.Path) {
			continue
		}
		if shown[at] {
			j.add(a.violation(Duplicate, at, "each document once", describeLines(f)))
		}
		shown[at] = true
		j.shownLines(a, is, f)
	}
	if r := a.lines.reply; r.Complete && len(r.Unsearched)+r.MoreUnsearched > 0 {
		j.add(a.violation(Failure, a.at, "to be told that an answer is not complete", fmt.Sprintf("%d documents that were not searched", len(r.Unsearched)+r.MoreUnsearched)))
	}
	if a.lines.reply.More > 0 {
		return // what is not listed is not there to be judged
	}
	for _, at := range j.world.spots() {
		if !shown[at] && a.lines.covers(at) {
			j.missingLines(a, is, at)
		}
	}
}

// shownLines checks that the lines of a document are those of a content that was
// possible at the answer's token, and of the very version that the log held where
// that is known.
func (j *judge) shownLines(a answer, is *regexp.Regexp, f contract.GrepFile) {
	at, seq := spot{f.Source, f.Path}, a.reply.Token.Seq
	j.count(func(r *Report) { r.Lined++ })
	contents, _ := j.world.possible(at, seq, seq, a.arrived)
	if len(contents) == 0 {
		j.add(a.violation(Ghost, at, "no lines: the path did not exist", describeLines(f)))
		return
	}
	if !slices.ContainsFunc(contents, func(c []byte) bool { return a.lines.equal(f, a.lines.matching(is, c)) }) {
		j.add(a.violation(Stale, at, fmt.Sprintf("the lines of one of %d contents that were possible", len(contents)), describeLines(f)))
		return
	}
	if uint64(f.Version) > seq {
		j.add(a.violation(WrongVersion, at, "a version that the answer's token covers", describeLines(f)))
		return
	}
	v, content, known := j.world.at(at, seq)
	if !known || v.seq < uint64(f.Version) {
		return
	}
	j.count(func(r *Report) { r.LinedExact++ })
	expected := fmt.Sprintf("the lines of version %d (%s), which the log held at the token", v.seq, v.op)
	switch {
	case v.op != contract.OpPut:
		j.add(a.violation(Ghost, at, expected, describeLines(f)))
	case !a.lines.equal(f, a.lines.matching(is, content)):
		j.add(a.violation(Stale, at, expected, describeLines(f)))
	case v.seq > uint64(f.Version):
		j.add(a.violation(WrongVersion, at, expected, describeLines(f)))
	}
}

// missingLines checks that a document which an answer does not show has nothing to
// show, or is told as not searched.
func (j *judge) missingLines(a answer, is *regexp.Regexp, at spot) {
	seq := a.reply.Token.Seq
	contents, absent := j.world.possible(at, seq, seq, a.arrived)
	if absent || slices.ContainsFunc(contents, func(c []byte) bool { return len(a.lines.matching(is, c)) == 0 }) {
		return
	}
	j.count(func(r *Report) { r.LinedCertain++ })
	if a.lines.tells(at, j.interrupted()) {
		j.count(func(r *Report) { r.Unsearched++ })
		return
	}
	v, _, _ := j.world.at(at, seq)
	j.add(a.violation(Missing, at, fmt.Sprintf("lines of a document of which each of %d possible contents has some", len(contents)),
		fmt.Sprintf("%d documents, %d searched, complete %t; the log holds version %d (%s) of the path", a.lines.reply.Matched, a.lines.reply.Searched, a.lines.reply.Complete, v.seq, v.op)))
}

// equal reports whether a document is shown as it has to be, given the lines that
// match in it.
func (l *lined) equal(f contract.GrepFile, want []contract.GrepLine) bool {
	if l.request.Show != contract.GrepFiles && f.Count != len(want) || len(want) == 0 {
		return false
	}
	if l.request.Show != "" {
		return true
	}
	// With more than fits, the last document is shown in part.
	if n := len(f.Lines); n < len(want) && l.reply.More > 0 {
		want = want[:n]
	}
	return slices.EqualFunc(f.Lines, want, func(got, want contract.GrepLine) bool {
		return got.Line == want.Line && got.Offset == want.Offset && got.Text == want.Text
	})
}

// tells reports whether an answer says of a document that it was not searched, for
// a reason that an instance may have which is not interrupted, or that is.
func (l *lined) tells(at spot, interrupted bool) bool {
	if l.reply.Complete {
		return false
	}
	if l.reply.MoreUnsearched > 0 || interrupted && len(l.reply.Degraded) > 0 {
		return true
	}
	return slices.ContainsFunc(l.reply.Unsearched, func(u contract.GrepUnsearched) bool {
		return u.Source == at.source && u.Path == at.path && (interrupted || u.Reason != contract.GrepUnreadable)
	})
}

// covers reports whether the filter of a question lets a document through.
func (l *lined) covers(at spot) bool {
	paths, err := pathset.Parse(l.request.Filter.Paths)
	spoken := l.request.Filter.Languages
	return err == nil && paths.Match(at.path) && slices.Contains(l.request.Filter.Sources, at.source) &&
		(len(spoken) == 0 || slices.Contains(spoken, languages[path.Ext(string(at.path))]))
}

func describeLines(f contract.GrepFile) string {
	out := fmt.Sprintf("%s at %d with %d lines", f.Path, f.Version, f.Count)
	for _, line := range f.Lines[:min(len(f.Lines), 5)] {
		out += fmt.Sprintf("; %d: %q", line.Line, line.Text)
	}
	return out
}

// spots returns every place that was written, in no order.
func (w *world) spots() []spot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.files))
}

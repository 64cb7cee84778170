package vulture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// missing checks that a question found its words: one with a token, and one
// that was asked at once, whose words were acknowledged before.
func (j *judge) missing(a answer) {
	if a.at.path == "" || !a.promised() && !a.eager() {
		return
	}
	few := a.options.K < max(enough, j.cfg.Hits) || len(a.options.Ranking) > 0
	if k := a.options.K; k > 0 && few && len(a.reply.Hits) >= k {
		return // others may be better, and with weights that are tried most of all
	}
	contents, absent := j.world.possible(a.at, a.covers(), a.reply.Token.Seq, a.arrived)
	if absent {
		return
	}
	for _, word := range []string{a.word, a.also} {
		if word != "" && !slices.ContainsFunc(contents, func(c []byte) bool { return !strings.Contains(string(c), word) }) {
			j.count(func(r *Report) { r.Certain++ })
			j.shows(a, word, len(contents))
		}
	}
}

// shows checks that an answer shows a word of the question's file, or says what
// it lacks where it may.
func (j *judge) shows(a answer, word string, contents int) {
	for _, h := range a.reply.Hits {
		if isOf(h, a.at) && strings.Contains(h.Text, word) {
			return
		}
	}
	if (a.eager() || j.interrupted() || slices.Contains(a.options.Off, "pending")) && a.tells() || a.overtaken() {
		return
	}
	j.add(a.violation(Missing, a.at, fmt.Sprintf("a hit that holds %q, which stands in each of %d possible contents", word, contents), j.seen(a)))
}

// isOf reports whether a hit, or a copy that it stands for, is of a place.
func isOf(h contract.Hit, at spot) bool {
	return h.Path == at.path && h.Source == at.source ||
		slices.ContainsFunc(h.Copies, func(c contract.Copy) bool { return c.Path == at.path && c.Source == at.source })
}

// tells reports whether an answer says that it may lack something of the place
// that was asked for. That its filter lets nothing through is no excuse.
func (a answer) tells() bool {
	return slices.ContainsFunc(a.reply.Degraded, func(d string) bool { return !strings.HasPrefix(d, "path: ") }) || slices.ContainsFunc(a.reply.Pending, func(p contract.PendingPath) bool {
		return p.Source == a.at.source && p.Path == a.at.path && !p.Searched
	})
}

// overtaken reports whether an answer lists the place as not searched for a
// version that came after what was asked for: so it does with what is above the
// limits of the pending documents.
func (a answer) overtaken() bool {
	covered := a.covers()
	return slices.ContainsFunc(a.reply.Pending, func(p contract.PendingPath) bool {
		return p.Source == a.at.source && p.Path == a.at.path && !p.Searched && uint64(p.Version) > covered
	})
}

// seen says what an answer shows instead of the word that is missing.
func (j *judge) seen(a answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d hits", len(a.reply.Hits))
	for _, h := range a.reply.Hits {
		if h.Path == a.at.path {
			fmt.Fprintf(&b, "; %s:%d-%d", h.Path, h.StartLine, h.EndLine)
		}
	}
	for _, p := range a.reply.Pending {
		fmt.Fprintf(&b, "; pending %s at %d in %v", p.Path, p.Version, p.Sinks)
		if !p.Searched {
			b.WriteString(", not searched")
		}
	}
	for _, t := range a.reply.Trace {
		fmt.Fprintf(&b, "; %s %d>%d %s", t.Stage, t.In, t.Out, t.Note)
	}
	if len(a.reply.Degraded) > 0 {
		fmt.Fprintf(&b, "; degraded %v", a.reply.Degraded)
	}
	v, _, _ := j.world.at(a.at, a.reply.Token.Seq)
	fmt.Fprintf(&b, "; the log holds version %d (%s) of the path", v.seq, v.op)
	return b.String()
}

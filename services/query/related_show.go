package query

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/member"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/related"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// assemble is the stage that turns what may be shown into the reply. Without the passage
// that was asked about in the same state of the log there is none.
func (r *relating) assemble(ctx context.Context, q *search) (report, error) {
	in := len(q.resolved.Shown)
	i := slices.IndexFunc(q.resolved.Shown, func(s resolve.Shown) bool { return r.isOf(&s.Candidate.Found) })
	if i < 0 {
		if _, err := r.head(ctx, q); err != nil {
			return report{}, err // it has gone
		}
		return report{}, document.Errorf(document.Unavailable, "%s changed each time that it was looked at: ask again", r.in.Path)
	}
	of := q.resolved.Shown[i]
	token, err := q.service.bus.Tokens().Of(ctx, q.resolved.Seen)
	if err != nil {
		return report{}, err
	}
	q.reply.Token = token
	shown, why := r.chosen(q)
	q.resolved.Shown = shown // what is given
	r.reply.Of, r.reply.Related = r.asked(&of), make([]contract.Related, len(shown))
	for i := range shown {
		q.reply.Hits = append(q.reply.Hits, hitAt(q, &shown[i], r.marks(q, why[i]), r.line(&shown[i], why[i][0])))
		r.reply.Related[i].Why = why[i]
	}
	listPending(q)
	listFailed(q)
	listUnread(q)
	reportOrphans(q)
	q.service.counters.dropped.Add(uint64(q.resolved.Dropped))
	q.withhold()
	for i := range q.reply.Hits {
		r.reply.Related[i].Passage = q.reply.Hits[i]
	}
	return report{in: in, out: len(shown)}, nil
}

// asked is the passage that was asked about.
func (r *relating) asked(of *resolve.Shown) contract.RelatedOf {
	return contract.RelatedOf{
		Source: of.Head.Source, View: of.Head.View, Path: of.Head.Path, StartLine: of.Span.StartLine, EndLine: of.Span.EndLine, Names: r.names,
		Kind: of.Span.Kind, Language: of.Language, Headings: of.Span.Headings, Version: of.Head.Version, ID: of.Candidate.ID, Pending: of.Pending,
	}
}

// chosen are the passages that are shown, so many of each relation, and how each is
// related.
func (r *relating) chosen(q *search) (out []resolve.Shown, why [][]contract.Relation) {
	of := map[string]int{}
	for i := range q.resolved.Shown {
		s := &q.resolved.Shown[i]
		holds := r.why(s)
		if len(holds) == 0 {
			continue
		}
		if relation := holds[0].Relation; of[relation] < r.limit {
			of[relation]++
			out, why = append(out, *s), append(why, holds)
		}
	}
	return out, why
}

// why is how a passage is related: not at all if it is the one that was asked about. Of
// lines that are shown in part, what relates the whole may stand in another part.
func (r *relating) why(s *resolve.Shown) []contract.Relation {
	w := s.Candidate.Window
	if w == nil || w.Of == (document.ChunkID{}) {
		if one := r.found.byID[s.Candidate.ID]; one != nil {
			return one.why
		}
		return nil
	}
	one := r.found.byID[w.Of]
	if one == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(one.why), func(of contract.Relation) bool {
		return !r.usedIn(of.Name, &s.Candidate.Attrs, s.Text)
	})
}

// marks are what is marked in a passage: the names for which it is related.
func (r *relating) marks(q *search, why []contract.Relation) *excerpt.Marks {
	text := ""
	var names []string
	for _, w := range why {
		if w.Name != "" {
			text += rank.LastPart(w.Name) + "\n"
			names = append(names, rank.LastPart(w.Name))
		}
	}
	return excerpt.NewMarks(cover.New(text, q.service.analyzer, func(string) float64 { return 1 }), names, q.service.analyzer)
}

// line is the one of a passage, from 0, that has what relates it; -1 where none has.
func (r *relating) line(s *resolve.Shown, why contract.Relation) int {
	if why.Name == "" {
		return -1
	}
	lines, last := excerpt.Lines(s.Text), rank.LastPart(why.Name)
	if why.Relation == contract.RelatedCalls {
		for _, p := range member.Places(lines, definedBy(s), s.Language) {
			if rank.LastPart(p.Name) == last {
				return p.Line
			}
		}
	}
	return related.Line(lines, s.Language, last)
}

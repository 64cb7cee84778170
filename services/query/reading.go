package query

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// leavesOut reports whether words of the question are to be left out.
func leavesOut(q *search) bool { return len(q.req.Reading.Without) > 0 }

// readAgain is the stage that reads a question with words to be left out as text,
// where it stands so in the log: a command that was copied has dashes of its own.
// An index that does not answer leaves it as it was read.
func readAgain(ctx context.Context, q *search) (report, error) {
	r := q.req.Reading
	typed := reading.Atom{Text: r.Typed, Is: reading.Verbatim}
	tokens := q.service.analyzer.Within(r.Typed)
	if len(tokens) == 0 || q.req.Off(request.OffLexical) {
		return report{}, nil
	}
	held, err := holdAll(ctx, q, tokens, q.keep())
	if err == nil {
		held.Found, err = q.service.reader.Graded(ctx, held.Found, func(passage []byte) float64 {
			if typed.In(passage) {
				return 1
			}
			return 0
		})
	}
	if err != nil {
		o := outcome{stage: "read", trouble: err}
		return report{note: trouble(q, &o)}, nil //nolint:nilerr // The trace says so; it is read as it was.
	}
	if len(held.Found) > 0 {
		q.req.Text, q.asText = r.Typed, r.Without
		q.req.Reading = &reading.Reading{Typed: r.Typed, Text: r.Typed, Must: r.Must, Filters: r.Filters, Left: r.Left, Refs: r.Refs}
	}
	return report{in: len(r.Without), out: len(q.req.Reading.Without), note: note(len(q.asText) > 0, "it stands so in the log, so it is text")}, nil
}

// understood tells how the question was read, nil where it is text and nothing
// else.
func understood(q *search) *contract.Understood {
	r := q.req.Reading
	at := understoodPlaces(q)
	if !r.Narrows() && len(r.Filters)+len(r.Left)+len(q.asText)+len(at) == 0 {
		return nil
	}
	u := &contract.Understood{Text: q.req.Text, Refs: r.Refs, Places: at}
	for _, c := range r.Must {
		if c[0].Is != reading.Name {
			u.Must = append(u.Must, c.String())
		}
	}
	for _, a := range r.Without {
		u.Without = append(u.Without, a.String())
	}
	for _, f := range r.Filters {
		u.Filters = append(u.Filters, f.String())
	}
	for _, f := range r.Left {
		u.Without = append(u.Without, f.String())
	}
	for _, a := range q.asText {
		u.AsText = append(u.AsText, a.String())
	}
	return u
}

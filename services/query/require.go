package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// requiredTerms has the lexical index give what holds all words of what must stand
// in a passage: where there is nothing else to look for, those words are the terms.
func requiredTerms(q *search) {
	words := len(q.terms)
	for _, c := range q.req.Reading.Must {
		if len(c) > 1 {
			continue // any of them will do
		}
		for _, token := range q.service.analyzer.Within(c[0].Text) {
			i := slices.IndexFunc(q.terms, func(t store.Term) bool { return t.Token == token })
			if i < 0 {
				i = len(q.terms)
				weight := 0.0
				if words == 0 {
					weight = 1
				}
				q.terms = append(q.terms, store.Term{Token: token, Weight: weight})
			}
			q.terms[i].Required = true
		}
	}
}

// narrows reports whether a passage must hold something, or must not.
func narrows(q *search) bool { return q.req.Reading.Narrows() }

// requireText is the stage that leaves of what was found what holds the text that
// must stand in a passage, and nothing of what is to be left out. The log decides.
// Where the index has none, since it knows whole words alone, the texts in the log
// are read.
func requireText(ctx context.Context, q *search) (report, error) {
	f := &q.found
	lists := []*[]candidate.Found{&f.lexical.Found, &f.vector.Found, &f.pending.Found, &f.keyword, &f.verbatim, &f.named, &f.read, &f.placed}
	if all := f.variants.found; all != nil {
		lists = append(lists, &all.Lexical, &all.Pending)
	}
	r := report{}
	if f.holds == nil {
		f.holds = map[document.ChunkID]bool{}
	}
	for _, list := range lists {
		r.in += len(*list)
		if err := judgeText(ctx, q, *list); err != nil {
			return r, fmt.Errorf("hold passages against the question: %w", err)
		}
		*list = slices.DeleteFunc(slices.Clone(*list), func(c candidate.Found) bool { return !f.holds[c.ID] })
		r.out += len(*list)
	}
	if r.out == 0 && len(q.req.Reading.Must) > 0 && !f.lexical.More {
		note, err := readTexts(ctx, q)
		r.note = note
		r.out += len(f.read)
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// judgeText notes of passages whether their text holds what it must.
func judgeText(ctx context.Context, q *search, list []candidate.Found) error {
	var unknown []candidate.Found
	for i := range list {
		if _, known := q.found.holds[list[i].ID]; !known {
			unknown = append(unknown, list[i])
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	held, err := q.service.reader.Graded(ctx, unknown, func(text []byte) float64 {
		if q.req.Reading.Holds(text) {
			return 1
		}
		return 0
	})
	for i := range unknown {
		q.found.holds[unknown[i].ID] = false
	}
	for i := range held {
		q.found.holds[held[i].ID] = true
	}
	if errors.Is(err, resolve.ErrLate) {
		q.degradeOnce("quoted: not every passage was read in time for " + required(q) + ", so that there may be more than is shown")
		return nil
	}
	return err
}

// lost says what of the question a passage lacks, or has.
func lacksRequired(r *reading.Reading, text []byte) string {
	for _, c := range r.Must {
		if !c.In(text) {
			return "it does not hold " + c.String()
		}
	}
	for i := range r.Without {
		if r.Without[i].In(text) {
			return "it holds " + r.Without[i].String() + ", which is left out"
		}
	}
	return ""
}

// required names what must stand in a passage, as it can be typed.
func required(q *search) string {
	all := make([]string, len(q.req.Reading.Must))
	for i, c := range q.req.Reading.Must {
		all[i] = c.String()
	}
	return strings.Join(all, " and ")
}

// mayRead reports whether the texts in the log are to be read.
func mayRead(q *search) bool { return !q.req.Off(request.OffExact) && !q.found.hasRead }

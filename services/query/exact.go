package query

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/verbatim"
)

// mayHold is how many passages of a generation, which have all words of a text or
// a name, are looked at.
const mayHold = 512

// mayHoldUnseen is the same for whoever sees only a part: those count that they may not
// see, too.
const mayHoldUnseen = 8 * mayHold

// exactly is what a question asks for exactly.
type exactly struct {
	typed   string // what the text is
	text    verbatim.Text
	hasText bool
	words   []string // tokens that a passage has that holds the text
	names   []rank.Name
	use     *reading.Atom // in place of a text: a name, as it is written where it is used
}

// asUse is how much a passage that uses a name as it was typed stands above others, of
// what one does that holds a text: less than the definition.
const asUse = .3

// whatExactly looks for it in the question.
func whatExactly(q *search) (x exactly) {
	x.typed = q.req.Reading.Typed
	if quoted := quotedIn(q); x.typed == `"`+quoted+`"` {
		x.typed = quoted // and nothing else
	}
	x.text, x.words, x.hasText = verbatim.New(x.typed, q.service.analyzer.Within)
	if refs := q.req.Reading.Refs; len(refs) == 1 && rank.LastPart(refs[0]) != refs[0] {
		x.use, x.words, x.hasText = &reading.Atom{Text: refs[0], Is: reading.Name}, q.service.analyzer.Within(refs[0]), true
	}
	x.names = q.query.Names()
	return x
}

// asksExactly reports whether there is anything to look for, and an index that can
// tell where.
func asksExactly(q *search) bool {
	return !q.found.lexicalDown && !q.req.Off(request.OffLexical) && (q.exactly.hasText || len(q.exactly.names) > 0)
}

// findExactly is the stage that looks for passages that hold the question's text
// as it was typed, or define the name that it is. The lexical index has those with
// all of its words; the log tells in which of them they stand so, and the index
// itself which names a passage defines.
func findExactly(ctx context.Context, q *search) (report, error) {
	q.found.verbatim, q.found.named = nil, nil
	q.query.AsksUses(len(q.req.Reading.Refs) > 0)
	looked, err := findText(ctx, q)
	for i := range q.exactly.names {
		if err != nil {
			break
		}
		var n int
		n, err = findName(ctx, q, &q.exactly.names[i])
		looked += n
	}
	if len(q.req.Reading.Refs) > 0 && len(q.found.named) == 0 {
		q.query.AsksUses(false) // whatever has that name may be what is meant
		q.found.verbatim = nil
	}
	r := report{in: looked, out: len(q.found.verbatim) + len(q.found.named)}
	if err != nil {
		o := outcome{stage: "exact", trouble: err}
		r.note = trouble(q, &o)
		q.degradeOnce("exact: " + r.note)
	}
	return r, nil
}

// findText finds the passages that hold the text, among looked ones.
func findText(ctx context.Context, q *search) (looked int, err error) {
	if !q.exactly.hasText {
		return 0, nil
	}
	held, err := holdAll(ctx, q, q.exactly.words, q.keep())
	if err != nil {
		return 0, err
	}
	held.Found = append(held.Found, q.found.pending.Found...) // of these no index tells which
	q.found.verbatim, err = q.service.reader.Graded(ctx, held.Found, q.exactly.grade)
	return len(held.Found), err
}

// grade is how well a passage holds the text.
func (x *exactly) grade(passage []byte) float64 {
	if x.use == nil {
		return float64(x.text.In(passage))
	}
	if x.use.In(passage) {
		return asUse
	}
	return 0
}

// findName finds the passages that define a name, among looked ones.
func findName(ctx context.Context, q *search, name *rank.Name) (looked int, err error) {
	keep := q.keep()
	held, err := holdAll(ctx, q, q.service.analyzer.Within(name.Typed), func(a *store.Attrs) bool {
		looked++
		return (keep == nil || keep(a)) && q.query.Defines(name, a) > 0
	})
	q.found.named = append(q.found.named, held.Found...)
	return looked, err
}

// holdAll asks the lexical stores for passages that hold all tokens.
func holdAll(ctx context.Context, q *search, tokens []string, keep func(*store.Attrs) bool) (recall.Result, error) {
	terms := make([]store.Term, len(tokens))
	for i, token := range tokens {
		terms[i] = store.Term{Token: token, Weight: 1, Required: true}
	}
	held := mayHold
	if q.sight != nil {
		held = mayHoldUnseen
	}
	stores := q.service.stores.lexical(q.req.Collections)
	st, err := recall.Count(ctx, stores, terms)
	if err != nil {
		return recall.Result{}, err
	}
	for i := range terms {
		if st.With(i) == 0 {
			return recall.Result{}, nil // a word that no passage has
		}
	}
	return recall.LexicalChannel(stores, q.knownStores(document.Lexical), terms, st).Search(ctx, q.filter(), held, keep)
}

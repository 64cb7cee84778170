package query

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/keyword"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
)

// keywordDocuments bounds the documents that stand in for the lexical index;
// their passages are read from the log.
const keywordDocuments = 24

// fallBack is the stage that stands in for a lexical index that does not answer:
// the documents whose paths have the query's words are taken from the log's heads,
// and their passages rated by words and symbols. The vector index has no such need: paths
// and symbols are words of the lexical one.
func fallBack(ctx context.Context, q *search) (report, error) {
	q.found.fellBack = true
	words := cover.New(q.req.Text, q.service.analyzer, func(string) float64 { return 1 })
	heads := keyword.Choose(words, keywordDocuments, func(each func(*contract.FileHead)) {
		q.service.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
			if q.inScope(&h) {
				each(&h)
			}
			return ctx.Err() == nil
		})
	})
	r, err := q.service.byKeyword.Search(ctx, heads, q.terms, keyword.Flat{}, q.req.Keep, q.req.KeepsLines)
	if err != nil {
		q.degrade("keyword: the log did not give the documents whose paths match")
		q.service.log.Warn("no fallback", "error", err)
	}
	r.Found = r.Found[:min(len(r.Found), q.service.cfg.Overfetch)]
	q.found.keyword = r.Found
	return report{in: len(heads), out: len(r.Found), note: "in place of the lexical index"}, nil
}

// lacksLexical reports whether the lexical index has just been found down.
func lacksLexical(q *search) bool { return q.found.lexicalDown && !q.found.fellBack }

// newKeyword returns what searches the documents of fallBack. Few of them were
// seen live, which a Searcher of pending documents needs.
func newKeyword(pending *plain.Searcher) *plain.Searcher {
	s := *pending
	s.Documents, s.Bytes = keywordDocuments*plain.BulkShare, pending.Bytes*plain.BulkShare
	return &s
}

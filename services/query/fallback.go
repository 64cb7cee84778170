package query

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/keyword"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// keywordDocuments bounds the documents that stand in for the lexical index;
// their passages are read from the log.
const keywordDocuments = 24

// fallBack stands in for a lexical index that does not answer: the documents
// whose paths have the query's words are taken from the log's heads, and their
// passages rated by words and symbols. The vector index has no such need: paths
// and symbols are words of the lexical one.
func (q *search) fallBack(ctx context.Context) {
	if q.req.Off(request.OffKeyword) {
		return
	}
	start := time.Now()
	words := cover.New(q.req.Text, q.analyzer, func(string) float64 { return 1 })
	heads := keyword.Choose(words, keywordDocuments, func(each func(*contract.FileHead)) {
		q.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
			if q.inScope(&h) {
				each(&h)
			}
			return ctx.Err() == nil
		})
	})
	r, err := q.byKeyword.Search(ctx, heads, q.terms, keyword.Flat{}, q.req.Keep, len(q.req.Kinds) == 0)
	if err != nil {
		q.degrade("keyword: the log did not give the documents whose paths match")
		q.log.Warn("no fallback", "error", err)
	}
	r.Found = r.Found[:min(len(r.Found), q.cfg.Overfetch)]
	q.found.keyword = r.Found
	q.trace("recall.keyword", start, len(heads), len(r.Found), "in place of the lexical index")
}

// newKeyword returns what searches the documents of fallBack. Few of them were
// seen live, which a Searcher of pending documents needs.
func newKeyword(pending *plain.Searcher) *plain.Searcher {
	s := *pending
	s.Documents, s.Bytes = keywordDocuments*plain.BulkShare, pending.Bytes*plain.BulkShare
	return &s
}

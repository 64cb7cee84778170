package recall_test

import (
	"context"
	"errors"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// looked does something each time when the mark is read.
type looked struct {
	recall.Lexical
	then func()
}

func (l looked) PeekMark(ctx context.Context) (store.Mark, error) {
	m, err := l.Lexical.PeekMark(ctx)
	l.then()
	return m, err
}

// An indexer that takes over gives the store another id: the log knows it first. Whoever
// asks in between is answered as soon as the store has it. A store that keeps an earlier
// id, as an older copy does, is not trusted, nor is one that nobody knows.
func TestStoreThatIsRenamedMeanwhile_IsAskedOnceMore(t *testing.T) {
	terms := []store.Term{{Token: "heron", Weight: 1}}
	renamed := contract.StoreRecord{Lineage: contract.Lineage{Store: "two", Past: []contract.PastStore{{Store: "one", UpTo: 5}}}}
	for name, c := range map[string]struct {
		record contract.StoreRecord
		later  string // id of the store after it was looked at
		knows  string // what the log knows then
		found  bool
	}{
		"the log is ahead":    {record: renamed, later: "two", found: true},
		"an older copy":       {record: renamed},
		"the log comes later": {record: contract.StoreRecord{Lineage: contract.Lineage{Store: "zero"}}, knows: "one", found: true},
		"another store":       {record: contract.StoreRecord{Lineage: contract.Lineage{Store: "zero"}}},
	} {
		s := fill(t, []string{"heron"})
		record, looks := c.record, 0
		ctx, cancel := context.WithCancel(t.Context())
		stores := map[document.Generation]recall.Lexical{"code-1": looked{s, func() {
			if c.later != "" {
				if err := s.SetMark(t.Context(), store.Mark{ID: c.later}); err != nil {
					t.Error(err)
				}
			}
			if c.knows != "" {
				record.Store = c.knows
			}
			if looks++; looks == 3 {
				cancel() // the time of the engines is over
			}
		}}}
		st, err := recall.Count(t.Context(), stores, terms)
		if err != nil {
			t.Fatal(err)
		}
		r, err := recall.LexicalChannel(stores, func(document.Generation) contract.StoreRecord { return record }, terms, st).Search(ctx, store.Filter{}, 10, nil)
		if c.found != (err == nil && len(r.Found) == 1) || !c.found && !errors.Is(err, recall.ErrUnknown) {
			t.Errorf("%s: %d found, %v", name, len(r.Found), err)
		}
		cancel()
	}
}

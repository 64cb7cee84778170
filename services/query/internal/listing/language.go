package listing

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

// A batch is read by one request to the log.
const (
	batchDocuments = 64
	batchBytes     = 2 << 20
)

// tellLanguages finds out what the documents are written in, as the chunker does.
// Of most the path tells; the others are read, until ctx ends.
func (l *Listing) tellLanguages(ctx context.Context) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(1 + max(1, runtime.GOMAXPROCS(0)/2))
	var batch []*item
	size := int64(0)
	read := func() {
		if full := batch; len(full) > 0 {
			group.Go(func() error { return l.readBatch(within, full) })
		}
		batch, size = nil, 0
	}
	for _, it := range l.items {
		it.language = language.OfPath(it.head.Path)
		if it.language != "" && it.head.Path.Ext() != ".h" {
			continue
		}
		if it.head.Size == 0 {
			it.language = language.Detect(it.head.Path, nil)
			continue
		}
		it.language, it.untold = "", true
		if len(batch) == batchDocuments || len(batch) > 0 && size+it.head.Size > batchBytes {
			read()
		}
		batch, size = append(batch, it), size+it.head.Size
	}
	read()
	return group.Wait()
}

// readBatch tells the languages of documents by their contents. What is gone from
// the log by now, or cannot be read, stays untold.
func (l *Listing) readBatch(ctx context.Context, batch []*item) error {
	subjects := make([]string, len(batch))
	for i, it := range batch {
		subjects[i] = contract.FileSubject(it.head.Source, it.head.Doc, it.head.View)
	}
	messages, err := l.bus.GetLast(ctx, contract.StreamFiles, subjects...)
	if err != nil {
		return fmt.Errorf("read contents: %w", err)
	}
	for i, it := range batch {
		l.readOne(ctx, it, messages[subjects[i]])
		delete(messages, subjects[i])
	}
	return nil
}

func (l *Listing) readOne(ctx context.Context, it *item, m *bus.Msg) {
	if m == nil || document.Version(m.Seq) != it.head.Version {
		return
	}
	text, err := m.Content(ctx, &it.head)
	if err != nil {
		bus.TellUnread(l.bus, err)
		return
	}
	it.language, it.untold = language.Detect(it.head.Path, text), false
}

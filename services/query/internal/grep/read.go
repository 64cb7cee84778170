package grep

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// readBatch searches documents that are read by one request. It holds the text of
// one of them at a time, and of the others what the log keeps in its messages.
func (g *Grep) readBatch(ctx context.Context, batch []*item) error {
	batch = g.readMade(ctx, batch)
	if len(batch) == 0 {
		return nil
	}
	subjects := make([]string, len(batch))
	for i, it := range batch {
		subjects[i] = contract.FileSubject(it.key.Source, it.key.Doc, it.key.View)
	}
	var messages map[string]*bus.Msg
	var err error
	if ctx.Err() == nil {
		messages, err = g.bus.GetLast(ctx, contract.StreamFiles, subjects...)
	}
	for i, it := range batch {
		if ctx.Err() != nil || err != nil {
			g.leave(it, contract.GrepDeadline)
			continue
		}
		g.searchOne(ctx, it, messages[subjects[i]])
		delete(messages, subjects[i])
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("read contents: %w", err)
	}
	return nil
}

// searchOne searches a document in the message that the log has of it.
func (g *Grep) searchOne(ctx context.Context, it *item, m *bus.Msg) {
	if m == nil || document.Version(m.Seq) != it.version && !skipLookAgain {
		g.leave(it, contract.GrepChanged)
		return
	}
	text, err := it.text(ctx, m)
	switch {
	case err == nil:
	case errors.Is(err, bus.ErrGone):
		g.leave(it, contract.GrepChanged)
		return
	case ctx.Err() != nil:
		g.leave(it, contract.GrepDeadline)
		return
	default:
		bus.TellUnread(g.bus, err)
		g.broken(err)
		g.leave(it, contract.GrepUnreadable)
		return
	}
	g.searchText(ctx, it, text)
}

// searchText searches the text of a document.
func (g *Grep) searchText(ctx context.Context, it *item, text []byte) {
	if !g.scope.Content(it.path, text) {
		return
	}
	found, ok := g.search(ctx, text, g.wants(it))
	if !ok {
		g.leave(it, contract.GrepDeadline)
		return
	}
	g.put(it, found, len(text))
}

// text is the text of a document in the message that the log has of it.
func (it *item) text(ctx context.Context, m *bus.Msg) ([]byte, error) {
	if skipLookAgain {
		return m.Body(ctx)
	}
	return m.Content(ctx, &contract.FileHead{Path: it.path, Version: it.version, Hash: it.hash})
}

// wants reports whether the lines of a document may be listed.
func (g *Grep) wants(it *item) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.kept.wants(it)
}

// put notes what a document has.
func (g *Grep) put(it *item, f found, size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.searched++
	g.bytes += int64(size)
	if it.found = f; f.count > 0 {
		g.kept.add(it)
	}
}

// leave notes that a document was not searched.
func (g *Grep) leave(it *item, why contract.GrepReason) {
	g.mu.Lock()
	defer g.mu.Unlock()
	it.reason = why
	g.kept.add(it)
}

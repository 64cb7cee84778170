package watcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/mirror"
)

// markedAncestors is how many of the commits before its own a marker names, so
// that a search can wait for one that another has followed already. A hundred
// take 4 KiB in a header.
const markedAncestors = mirror.Depth - 1

// mark publishes the marker of a view, if it says something new: another
// commit or count, or documents newer than the last one. It returns the
// version of the marker that holds now.
func (c *comparer) mark(ctx context.Context, v document.View, commit string, newest document.Version) (document.Version, error) {
	key := bus.FileKey{Source: c.origin.Name, Doc: document.MarkerDoc, View: v}
	if err := c.svc.ledger.files.Wait(ctx, uint64(newest)); err != nil {
		return 0, err
	}
	st := c.svc.stats.of(c.origin.Name, v)
	last := c.svc.ledger.get(key)
	subject := contract.FileSubject(c.origin.Name, document.MarkerDoc, v)
	ancestors := last.Ancestors
	if commit != last.Commit {
		ancestors = c.origin.Ancestors(ctx, commit, markedAncestors)
	}
	for range conflictTries {
		if last.Op == contract.OpMarker && last.Commit == commit && last.Count == st.documents &&
			last.Version > max(newest, st.newest) {
			return last.Version, nil
		}
		h := contract.FileHead{
			Source: c.origin.Name, Doc: document.MarkerDoc, View: v, Op: contract.OpMarker,
			Commit: commit, Ancestors: ancestors, Count: st.documents, Time: c.svc.bus.Now(),
		}
		ack := c.svc.bus.Publish(ctx, bus.Out{Subject: subject, Header: h.Header(), Expect: uint64(last.Version)})[0]
		if ack.Err == nil {
			h.Version = document.Version(ack.Seq)
			c.svc.ledger.note(h)
			c.svc.tell(ctx, h)
			return h.Version, nil
		}
		if !errors.Is(ack.Err, bus.ErrConflict) {
			return 0, fmt.Errorf("mark %s: %w", c.origin.Name, ack.Err)
		}
		head, err := c.svc.readHead(ctx, subject)
		if err != nil {
			return 0, err
		}
		last = head
	}
	return 0, fmt.Errorf("mark %s: another writer keeps changing its marker: is a second watcher running?", c.origin.Name)
}

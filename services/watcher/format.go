package watcher

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/strategy"
)

// cuts knows how documents are cut.
type cuts struct{ strategies strategy.Table }

// differ reports whether a document was written with another format or grammar, or
// another version of it, than its path has now, or is cut by another strategy. Then it is
// written again, as a new version: so everything that is made of it is made again in the
// usual way, whoever asks meanwhile is told that it is pending, and no other document is
// touched.
func (c cuts) differ(known contract.FileHead) bool {
	return known.Op == contract.OpPut && known.Grammar != c.strategies.Grammar(known.Path) ||
		(known.Op == contract.OpPut || known.Op == contract.OpSkipped) && known.Format != format.IDOf(known.Path)
}

// asRead is what a truth is to know of a document: of one whose format differs neither
// content nor reason count as known.
func (c cuts) asRead(known contract.FileHead) contract.FileHead {
	if c.differ(known) {
		known.Hash, known.Collection, known.Reason = "", "", ""
	}
	return known
}

// renewFormats writes the documents of an API source again whose format differs. Nobody
// else has their contents, so that no comparison would come to them.
func (c *comparer) renewFormats(ctx context.Context) error {
	stale := c.svc.ledger.all(func(k bus.FileKey, h contract.FileHead) bool {
		return k.Source == c.origin.Name && h.Op == contract.OpPut && c.svc.cuts.differ(h)
	})
	for _, h := range stale {
		release, err := c.claims.take(ctx, h.Path, func() func() { return func() {} })
		if err != nil {
			return err
		}
		err = c.renewFormat(ctx, h.View, h.Path)
		release()
		if err != nil {
			return err
		}
	}
	return nil
}

// renewFormat does so with one document. What the log does not give stays: it is noted
// as lost by who looks for that.
func (c *comparer) renewFormat(ctx context.Context, view document.View, path document.Path) error {
	h, content, _, err := c.svc.contentLost(ctx, c.origin.Name, contract.LostDocument{View: view, Path: path})
	if err != nil || content == nil || !c.svc.cuts.differ(h) {
		return err
	}
	h.Format, h.Grammar = format.IDOf(h.Path), c.svc.cuts.strategies.Grammar(h.Path)
	return c.svc.writeAgain(ctx, h, content)
}

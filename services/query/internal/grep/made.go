package grep

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// textlessAt is a version of a document of which a format could make no text, and why.
type textlessAt struct {
	version document.Version
	why     string
}

// readMade searches the documents of a batch whose text a format has made, and returns
// the others. The text is that of the content which the head names, whatever has become
// of the document meanwhile.
func (g *Grep) readMade(ctx context.Context, batch []*item) (others []*item) {
	for _, it := range batch {
		if it.format == "" {
			others = append(others, it)
			continue
		}
		if ctx.Err() != nil {
			g.leave(it, contract.GrepDeadline)
			continue
		}
		text, textless, err := g.scope.Made(ctx, &contract.FileHead{
			Source: it.key.Source, Doc: it.key.Doc, View: it.key.View, Path: it.path, Op: contract.OpPut,
			Version: it.version, Hash: it.hash, Format: it.format, Collection: it.collection,
		})
		switch {
		case err != nil && ctx.Err() != nil:
			g.leave(it, contract.GrepDeadline)
		case err != nil:
			g.broken(err)
			g.leave(it, contract.GrepUnreadable)
		case textless != "":
			g.mu.Lock()
			g.textless[it.key] = textlessAt{it.version, textless}
			g.mu.Unlock()
		case text == nil:
			g.leave(it, contract.GrepPending)
		default:
			g.searchText(ctx, it, text)
		}
	}
	return others
}

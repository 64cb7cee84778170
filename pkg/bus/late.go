package bus

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Made is an output or a dead letter that was published where there was none.
type Made struct {
	Stream, Subject string
	Seq             uint64
	Source          document.Source
	Doc             document.DocID
	Covers          contract.Covers
}

// Late tells which messages came too late: their document was deleted and
// purged before. It takes them out of the log again. Whoever creates an output
// asks so after the publish and before it acknowledges its input; without a
// purge that costs one request a call. After an error the messages are as they
// were published.
func (p Purges) Late(ctx context.Context, made []Made) ([]bool, error) {
	late := make([]bool, len(made))
	if len(made) == 0 || skipFloor {
		return late, nil
	}
	f, _, err := p.floor(ctx)
	if err != nil {
		return nil, StoreWide(err)
	}
	var below []int
	for i := range made {
		if made[i].Covers.Newest() <= f.Floor {
			below = append(below, i)
		}
	}
	if len(below) == 0 {
		return late, nil
	}
	known := p.bus.journal().reaches(ctx, f.Number)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(purgeCalls)
	for _, i := range below {
		g.Go(func() error {
			there, err := p.inFiles(gctx, &made[i], known)
			if err == nil && !there {
				late[i], err = true, deleteMessage(gctx, p.bus, made[i].Stream, made[i].Seq)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, StoreWide(err)
	}
	return late, nil
}

// inFiles reports whether FILES has a head of a document in any view that an
// output covers. The head table's word is taken where the journal is known up
// to the floor and does not name the document.
func (p Purges) inFiles(ctx context.Context, m *Made, known bool) (bool, error) {
	files, _, _ := p.bus.Heads.open()
	if known && files != nil && p.bus.journal().version(DocKey{m.Source, m.Doc}) == 0 && hasFile(files, m.Source, m.Doc, m.Covers) {
		return true, nil
	}
	for view := range m.Covers.All() {
		head, err := p.bus.LeaderLast(ctx, contract.StreamFiles, contract.FileSubject(m.Source, m.Doc, view))
		if err != nil || head != nil {
			return head != nil, err
		}
	}
	return false, nil
}

// MayInclude reports whether what an output shows of a version of a document may
// have been purged. Where the journal goes back to the first purge it tells for
// the document, else for every version up to the purge floor.
func (p Purges) MayInclude(ctx context.Context, k DocKey, v document.Version) (bool, error) {
	f, _, err := p.floor(ctx)
	if err != nil || v > f.Floor {
		return false, err
	}
	if p.bus.journal().reaches(ctx, f.Number) && p.bus.journal().isWhole() {
		return v <= p.bus.journal().version(k), nil
	}
	return true, nil
}

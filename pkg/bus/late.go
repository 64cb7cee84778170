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
func (b *Bus) Late(ctx context.Context, made []Made) ([]bool, error) {
	late := make([]bool, len(made))
	if len(made) == 0 || skipFloor {
		return late, nil
	}
	f, _, err := b.readPurgeFloor(ctx)
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
	known := b.journal().reaches(ctx, f.Number)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(purgeCalls)
	for _, i := range below {
		g.Go(func() error {
			there, err := b.inFiles(gctx, &made[i], known)
			if err == nil && !there {
				late[i], err = true, b.deleteMessage(gctx, made[i].Stream, made[i].Seq)
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
func (b *Bus) inFiles(ctx context.Context, m *Made, known bool) (bool, error) {
	files, _, _ := b.openTables()
	if known && files != nil && b.journal().version(DocKey{m.Source, m.Doc}) == 0 && hasFile(files, m.Source, m.Doc, m.Covers) {
		return true, nil
	}
	for view := range m.Covers {
		head, err := b.LeaderLast(ctx, contract.StreamFiles, contract.FileSubject(m.Source, m.Doc, view))
		if err != nil || head != nil {
			return head != nil, err
		}
	}
	return false, nil
}

// Purged reports whether what an output shows of a version of a document may
// have been purged. Where the journal goes back to the first purge it tells for
// the document, else for every version up to the purge floor.
func (b *Bus) Purged(ctx context.Context, k DocKey, v document.Version) (bool, error) {
	f, _, err := b.readPurgeFloor(ctx)
	if err != nil || v > f.Floor {
		return false, err
	}
	if f.Number <= purgeRecords && b.journal().reaches(ctx, f.Number) {
		return v <= b.journal().version(k), nil
	}
	return true, nil
}

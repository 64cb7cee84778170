package indexer_test

import (
	"context"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// stumbling is a store that does what it is asked to, and then says that it has not,
// or the other way round.
type stumbling struct {
	store.Lexical
	stumbles func(store.LexicalBatch) (applied bool, err error)
}

func (s *stumbling) Apply(ctx context.Context, batch store.LexicalBatch) (store.Result, error) {
	applied, err := s.stumbles(batch)
	if err != nil && !applied {
		return store.Result{}, err
	}
	result, own := s.Lexical.Apply(ctx, batch)
	if own != nil {
		return result, own
	}
	return result, err
}

// The batch ends with an error and the process goes on. The message comes again, and
// knows nothing of what was left.
func TestBatchFailsOnItsWay_NothingUnlistedIsLeft(t *testing.T) {
	late := document.Errorf(document.Unavailable, "the store answered too late")
	t.Run("it wrote passages, and is replaced", func(t *testing.T) {
		d := deploy(t)
		d.stop()
		fell := make(chan struct{}, 1)
		own := d.lexical
		d.lexical = &stumbling{own, func(b store.LexicalBatch) (bool, error) {
			if slices.ContainsFunc(b.Put, func(e store.LexicalEntry) bool { return slices.Contains(e.Tokens, "second") }) {
				select {
				case fell <- struct{}{}:
				default:
				}
				return true, late
			}
			return true, nil
		}}
		d.start(false)
		d.show("a.go", 1, "first one\n")
		d.settled("a.go")
		d.show("a.go", 2, "second one\n")
		<-fell
		last := d.show("a.go", 3, "third one\n")
		d.settled("a.go")
		d.reaches(last...)
	})
	t.Run("it did not delete what it replaced", func(t *testing.T) {
		d := deploy(t)
		d.stop()
		fell := false
		own := d.lexical
		d.lexical = &stumbling{own, func(b store.LexicalBatch) (bool, error) {
			if len(b.Delete) > 0 && !fell {
				fell = true
				return false, late
			}
			return true, nil
		}}
		d.start(false)
		d.show("a.go", 1, "first one\n")
		d.settled("a.go")
		last := d.show("a.go", 2, "second one\n")
		d.settled("a.go")
		d.reaches(last...)
	})
}

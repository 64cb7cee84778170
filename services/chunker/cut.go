package chunker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/strategy"
	"github.com/freshet-dev/freshet/services/chunker/internal/merge"
)

// errReplaced says that the content of a version is gone because a newer one
// took its place; that one is on its way.
var errReplaced = errors.New("the version was replaced")

// cut splits the contents that the jobs of a batch need, several at once. A
// change whose content cannot be had leaves its job; its message gets an error
// unless a newer version replaces it.
func (s *Service) cut(ctx context.Context, b *batch) {
	var need []int
	for _, j := range b.jobs {
		for _, c := range j.changes {
			if _, done := b.splits[c.index]; !done && c.Hash != "" && !j.state.Has(c.Change) {
				need = append(need, c.index)
			}
		}
	}
	if len(need) == 0 {
		return
	}
	var mu sync.Mutex
	gone := map[int]bool{}
	said := time.Now()
	g := errgroup.Group{}
	g.SetLimit(s.cfg.Parsers + 1)
	for _, i := range need {
		g.Go(func() error {
			sp, err := s.split(ctx, b.msgs[i], b.heads[i])
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, errReplaced):
				gone[i] = true
			case err != nil:
				b.errs[i] = err
				gone[i] = true
			default:
				b.splits[i] = sp
			}
			if time.Since(said) > s.cfg.Lease/4 {
				for _, m := range b.msgs {
					m.Progress()
				}
				said = time.Now()
			}
			return nil
		})
	}
	_ = g.Wait() // errors are the messages' own
	for _, j := range b.jobs {
		kept := j.changes[:0]
		for _, c := range j.changes {
			if !gone[c.index] {
				kept = append(kept, c)
			}
		}
		j.changes = kept
	}
	b.dropEmpty()
}

// split reads the content of a version and cuts it.
func (s *Service) split(ctx context.Context, m *bus.Msg, head contract.FileHead) (merge.Split, error) {
	content, err := m.Content(ctx, &head)
	if errors.Is(err, bus.ErrGone) {
		return merge.Split{}, errReplaced
	}
	if err != nil {
		return merge.Split{}, fmt.Errorf("read version %d of %s: %w", head.Version, head.Path, err)
	}
	var f *format.Format
	if head.Format != "" {
		if f = format.Find(head.Format); f == nil {
			return merge.Split{}, fmt.Errorf("%s is of the format %s, of which this program knows nothing: let all services be of the same release", head.Path, head.Format)
		}
	}
	by, err := strategy.OfGrammar(head.Grammar)
	if err != nil {
		return merge.Split{}, fmt.Errorf("cut %s: %w", head.Path, err)
	}
	cut, err := s.cutter.CutAs(ctx, head.Path, f, by, content, m.Suspect)
	return merge.Split{
		Language: cut.Language, Spans: cut.Spans, Text: cut.Text,
		Made: merge.Made{Format: head.Format, Grammar: head.Grammar, Parts: cut.Parts, Textless: cut.Textless},
	}, err
}

package forecast

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// portion is how many documents are cut before they are embedded, as in the
// pipeline, so that memory stays small.
const portion = 64

// bench cuts and embeds documents as the services do, and takes the time.
type bench struct {
	// content returns the text of a document; false for one that is gone.
	content func(context.Context, doc) (text []byte, ok bool, err error)

	cutter *cutter.Cutter
	models map[document.Collection]embed.Counter
	lanes  int // contents that are cut at once
	// tell is called after each portion.
	tell func(documents int, bytes int64)

	documents int
	bytes     int64
	seconds   map[document.Collection]*laps
}

// laps is the time that a collection's sample took, in seconds.
type laps struct {
	cutting, embedding float64
	bytes              int64
}

// piece is a document on its way through the bench.
type piece struct {
	doc     doc
	content []byte
	texts   []string
}

// warm starts a parser and touches the model, which is not to be measured.
func (b *bench) warm(ctx context.Context) error {
	if _, err := b.cutter.Cut(ctx, "warm.go", []byte("package warm\n")); err != nil {
		return err
	}
	for name, model := range b.models {
		if b.still(name) {
			continue
		}
		if _, errs := model.EmbedDocuments(ctx, []string{"warm"}); errs[0] != nil {
			return errs[0]
		}
	}
	return nil
}

// still reports whether nothing of a collection is embedded, since it would be sent to
// somebody else's server, and has a price. Its time is not measured.
func (b *bench) still(name document.Collection) bool {
	_, remote := b.models[name].(embed.Remote)
	return remote
}

// Counters are the embedders of a set by which work is estimated; false where one does
// not tell.
func Counters(set open.Set) (map[document.Collection]embed.Counter, bool) {
	out := map[document.Collection]embed.Counter{}
	for name, e := range set {
		counter, ok := e.(embed.Counter)
		if !ok {
			return nil, false
		}
		out[name] = counter
	}
	return out, true
}

// run cuts and embeds a stratum's sample, and notes what it comes to. A
// document that is gone by now is left out.
func (b *bench) run(ctx context.Context, s *stratum, sample []doc) error {
	lap := b.seconds[s.collection]
	if lap == nil {
		lap = &laps{}
		b.seconds[s.collection] = lap
	}
	for len(sample) > 0 {
		n := min(portion, len(sample))
		pieces, err := b.read(ctx, sample[:n])
		if err != nil {
			return err
		}
		sample = sample[n:]
		began := time.Now()
		if err := b.cut(ctx, pieces); err != nil {
			return err
		}
		cut := time.Now()
		for i := range pieces {
			if b.still(s.collection) {
				break
			}
			_, errs := b.models[s.collection].EmbedDocuments(ctx, pieces[i].texts)
			for _, err := range errs {
				if err != nil {
					return err
				}
			}
		}
		lap.cutting += cut.Sub(began).Seconds()
		lap.embedding += time.Since(cut).Seconds()
		for _, p := range pieces {
			m := measured{bytes: int64(len(p.content)), passages: int64(len(p.texts))}
			for _, text := range p.texts {
				m.tokens += int64(b.models[s.collection].Tokens(text))
			}
			s.cut = append(s.cut, m)
			lap.bytes += m.bytes
			b.bytes += m.bytes
			b.documents++
		}
		b.tell(b.documents, b.bytes)
	}
	return nil
}

func (b *bench) read(ctx context.Context, docs []doc) ([]piece, error) {
	var out []piece
	for _, d := range docs {
		content, ok, err := b.content(ctx, d)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, piece{doc: d, content: content})
		}
	}
	return out, nil
}

func (b *bench) cut(ctx context.Context, pieces []piece) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(b.lanes)
	for i := range pieces {
		p := &pieces[i]
		g.Go(func() error {
			cut, err := b.cutter.Cut(gctx, p.doc.path, p.content)
			for k := range cut.Spans {
				s := &cut.Spans[k]
				p.texts = append(p.texts, embed.Compose(p.doc.path, s, cut.Text[s.StartByte:s.EndByte]))
			}
			return err
		})
	}
	return g.Wait()
}

package forecast

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// rebuildBytes is how much is cut and embedded to tell what building anew takes:
// a second's work, since it is done beside the building.
const rebuildBytes = 2 << 20

// Rebuild says what is left to be built of another build, out of the log.
type Rebuild struct {
	// Kept are the documents of which passages and vectors still hold, with
	// KeptPassages passages: somebody has gone back, or begun before.
	Kept         int `json:"kept"`
	KeptPassages int `json:"kept_passages"`
	// Left is what has to be cut and embedded.
	Left Collection `json:"left"`
	Disk Disk       `json:"disk"` // of what is left
}

// Leftover is what a build lacks of what the log has.
type Leftover struct {
	bus  *bus.Bus
	docs []doc
	all  int64
	rest Rebuild
}

// LackOf looks up what a build lacks: the documents of which it has no vectors yet.
func LackOf(ctx context.Context, b *bus.Bus, build contract.Build) (*Leftover, error) {
	vectors := b.Outputs(contract.StreamVectors)
	for _, wait := range []func(context.Context) error{b.Files().Ready, vectors.Ready} {
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
	l, collections := &Leftover{bus: b}, build.Collections()
	b.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if h.Op != contract.OpPut {
			return true
		}
		c := h.Collection.In(collections)
		out, ok := vectors.Get(bus.OutputKey{Generation: build.Generation(c), Source: h.Source, Doc: h.Doc})
		if ok && out.Covers.At(h.View).Version >= h.Version {
			l.rest.Kept++
			l.rest.KeptPassages += out.Count
			return true
		}
		l.docs = append(l.docs, doc{path: h.Path, collection: c, bytes: h.Size, subject: contract.FileSubject(h.Source, h.Doc, k.View)})
		l.all += h.Size
		return true
	})
	l.rest.Left.Documents, l.rest.Left.Bytes = len(l.docs), l.all
	return l, nil
}

// Count says what is left without measuring anything: passages, time and disk are
// zero.
func (l *Leftover) Count() Rebuild { return l.rest }

// Measure cuts and embeds a sample, and says what all of it takes. o.Config is that
// of the build, models its embedders.
func (l *Leftover) Measure(ctx context.Context, o Options, models map[document.Collection]embed.Counter) (Rebuild, error) {
	r := l.rest
	if len(l.docs) == 0 {
		return r, nil
	}
	o.Progress = func(string, int, int64) {}
	list := strata(l.docs)
	cut, err := measure(ctx, o, models, textOf(l.bus), list, rebuildBytes, l.all)
	if err != nil {
		return r, err
	}
	report := Report{}
	report.fill(o.Config, cut, list, l.docs)
	r.Left, r.Disk = report.Total, report.Disk
	return r, nil
}

// textOf reads documents out of the log.
func textOf(b *bus.Bus) func(context.Context, doc) ([]byte, bool, error) {
	return func(ctx context.Context, d doc) ([]byte, bool, error) {
		heads, err := b.GetLast(ctx, contract.StreamFiles, d.subject)
		if err != nil {
			return nil, false, err
		}
		m := heads[d.subject]
		if m == nil || m.Header.Get(contract.HeaderOp) != string(contract.OpPut) {
			return nil, false, nil
		}
		text, err := m.Body(ctx)
		if err != nil {
			return nil, false, nil //nolint:nilerr // It was replaced, or its stage tells of it.
		}
		return text, true, nil
	}
}

package query

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// usage counts what is asked and given. It is kept in the log, so that it outlives
// processes; what is not kept yet is lost with a kill.
type usage struct {
	bus *bus.Bus

	mu    sync.Mutex
	fresh map[string]contract.Usage // by way, not kept yet
}

func newUsage(b *bus.Bus) *usage { return &usage{bus: b, fresh: map[string]contract.Usage{}} }

// add counts an answer.
func (u *usage) add(ctx context.Context, given int, shown *seen) {
	whole := uint64(0)
	for _, d := range shown.documents {
		whole += uint64(max(sizeOf(u.bus, d), 0))
	}
	way := rpc.Way(ctx)
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.fresh[way]
	n.Questions, n.Given, n.Whole = n.Questions+1, n.Given+uint64(given), n.Whole+whole
	u.fresh[way] = n
}

// sizeOf is how many bytes a document has of which an answer shows something: in the
// work tree, else in the view that this version is of.
func sizeOf(b *bus.Bus, d contract.AuditedDocument) int64 {
	if h, ok := b.Files().Get(bus.FileKey{Source: d.Source, Doc: d.Doc, View: document.Worktree}); ok {
		return h.Size
	}
	size := int64(0)
	b.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Source == d.Source && k.Doc == d.Doc {
			size = h.Size
		}
		return h.Version != d.Version
	})
	return size
}

const (
	// keepEvery is how long counts may wait to be kept, and keepWithin how long that may
	// take when the process ends.
	keepEvery  = 5 * time.Second
	keepWithin = time.Second
)

// run keeps what is counted until ctx ends.
func (u *usage) run(ctx context.Context) error {
	every := time.NewTicker(keepEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			_ = u.keep(ctx) // it stays counted, and is kept the next time
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
			defer cancel()
			_ = u.keep(last)
			return nil
		}
	}
}

// keep adds what is fresh to what the log has.
func (u *usage) keep(ctx context.Context) error {
	u.mu.Lock()
	fresh := u.fresh
	u.fresh = map[string]contract.Usage{}
	u.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	for {
		kept, revision, err := u.kept(ctx)
		var js []byte
		if err == nil {
			js, err = json.Marshal(sum(kept, fresh))
		}
		if err == nil {
			_, err = u.bus.Bucket(contract.BucketMeta).Update(ctx, contract.KeyUsage, js, revision)
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, bus.ErrConflict):
			continue
		}
		u.mu.Lock()
		defer u.mu.Unlock()
		for way, n := range fresh {
			now := u.fresh[way]
			u.fresh[way] = contract.Usage{Questions: n.Questions + now.Questions, Given: n.Given + now.Given, Whole: n.Whole + now.Whole}
		}
		return err
	}
}

// kept is what the log has.
func (u *usage) kept(ctx context.Context) (list []contract.Usage, revision uint64, err error) {
	raw, revision, err := u.bus.Bucket(contract.BucketMeta).Get(ctx, contract.KeyUsage)
	if err != nil {
		return nil, 0, err
	}
	if raw != nil && json.Unmarshal(raw, &list) != nil {
		list = nil // nothing that anybody needs
	}
	return list, revision, nil
}

// total is what was counted so far, in the order of the ways.
func (u *usage) total(ctx context.Context) ([]contract.Usage, error) {
	kept, _, err := u.kept(ctx)
	if err != nil {
		return nil, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	return sum(kept, u.fresh), nil
}

// sum adds counts up by their ways.
func sum(kept []contract.Usage, fresh map[string]contract.Usage) []contract.Usage {
	var out []contract.Usage
	for _, way := range contract.Ways {
		n := contract.Usage{Way: way}
		add := func(o contract.Usage) {
			n.Questions, n.Given, n.Whole = n.Questions+o.Questions, n.Given+o.Given, n.Whole+o.Whole
		}
		for _, k := range kept {
			if k.Way == way {
				add(k)
			}
		}
		add(fresh[way])
		if n.Questions > 0 {
			out = append(out, n)
		}
	}
	return out
}

// givenBy are the bytes of text that an answer shows of documents; counted is false for
// what is no question about them.
func givenBy(out any) (n int, counted bool) {
	switch out := out.(type) {
	case *contract.SearchReply:
		for i := range out.Hits {
			n += len(out.Hits[i].Text)
		}
	case *contract.RelatedReply:
		for i := range out.Related {
			n += len(out.Related[i].Passage.Text)
		}
	case *contract.GrepReply:
		for i := range out.Files {
			for j := range out.Files[i].Lines {
				n += len(out.Files[i].Lines[j].Text)
			}
		}
	case *contract.ReadReply:
		n = len(out.Text) + len(out.Bytes)
	case *contract.ContextReply:
		n = len(out.Text)
	case *contract.OutlineReply:
		if d := out.Document; d != nil {
			for i := range d.Entries {
				n += len(d.Entries[i].Name) + len(d.Entries[i].Signature)
			}
		}
	default:
		return 0, false
	}
	return n, true
}

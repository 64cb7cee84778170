package grep

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/query/internal/trigram"
)

// Scope tells which documents are searched.
type Scope struct {
	// Head judges by what the head tells, and Content by the text.
	Head    func(*contract.FileHead) bool
	Content func(document.Path, []byte) bool
	// Made returns the text that a format has made of a version, nil where it is still to
	// be made, and why there is none. It may wait.
	Made func(context.Context, *contract.FileHead) (text []byte, textless string, err error)
}

// Grep searches one question. It is used once, by one goroutine.
type Grep struct {
	bus    *bus.Bus
	scope  Scope
	sieve  trigram.Sieve
	broken func(error)
	*job

	seen    uint64 // the state of the log that documents are those of
	spent   int64  // bytes of the documents that were to be read
	skipped map[string]int
	passed  int // documents that cannot match by their trigrams, so were not read
	unknown int // documents of whose trigrams nothing is known, so were read

	mu       sync.Mutex // of what is below, while documents are read
	searched int
	bytes    int64
	kept     keep
	textless map[bus.FileKey]textlessAt
}

// item is a document that has to do with the answer: it matches, or was not
// searched.
type item struct {
	key     bus.FileKey
	path    document.Path
	version document.Version
	hash    document.Hash
	size    int64
	// format is that of the head; what of it is searched is the text that it has made.
	format     format.ID
	collection document.Collection

	reason contract.GrepReason // why it was not searched; "": it was
	found
}

// inOrder is the order in which documents are searched and listed.
func inOrder(a, b *item) int {
	return cmp.Or(
		strings.Compare(string(a.key.Source), string(b.key.Source)),
		strings.Compare(string(a.path), string(b.path)),
		strings.Compare(string(a.key.View), string(b.key.View)),
	)
}

// New checks a request. What trigrams knows is not read where it cannot match.
// broken is told of each document that cannot be read. Every error is an
// InvalidRequest.
func New(b *bus.Bus, trigrams *trigram.Index, in contract.GrepRequest, broken func(error)) (*Grep, error) {
	j, err := parse(in, roomIn(b.Conn().MaxPayload()))
	if err != nil {
		return nil, err
	}
	return &Grep{bus: b, sieve: trigrams.Sieve(j.pattern.need), broken: broken, job: j, textless: map[bus.FileKey]textlessAt{}, kept: keep{items: map[bus.FileKey]*item{}, limit: j.limit, room: j.room}}, nil
}

// rounds bounds how often the heads are looked at again because the log moved on
// while documents were read: those that moved are then listed as not searched.
// All but the first have only those to read that changed since the one before.
const rounds = 8

// Run searches the documents in scope. The heads must have been seen up to what
// the answer is to include. Nothing is read after until; what was not searched by
// then is listed.
func (g *Grep) Run(ctx context.Context, scope Scope, until time.Time) error {
	g.scope = scope
	within, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	for round := 1; ; round++ {
		todo := g.snapshot()
		dawdle()
		if err := g.read(within, todo); err != nil {
			return err
		}
		moved := slices.ContainsFunc(todo, func(it *item) bool { return it.reason == contract.GrepChanged })
		if round > 1 && (!moved || round == rounds) || skipLookAgain {
			return nil
		}
		if err := g.catchUp(ctx); err != nil {
			return err
		}
		if !moved && g.bus.Files().Seen() == g.seen {
			return nil // the heads are those that were searched
		}
	}
}

// catchUp waits until the head table has seen the log as it is now: it may have
// been behind where a document was replaced before its head came.
func (g *Grep) catchUp(ctx context.Context) error {
	return bus.CatchUp(ctx, g.bus, g.bus.Files())
}

// snapshot takes one consistent state of the heads, forgets what is not so any
// more, and returns the documents that have to be searched for it, in order.
func (g *Grep) snapshot() (todo []*item) {
	before, skipped, textless := g.seen, map[string]int{}, map[bus.FileKey]textlessAt{}
	still := make(map[bus.FileKey]*item, len(g.kept.items))
	g.seen = g.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		it := g.kept.items[k]
		switch {
		case h.Op == contract.OpSkipped:
			if g.scope.Head(&h) {
				skipped[h.Reason]++
			}
		case h.Op != contract.OpPut:
		case g.textless[k].version == h.Version:
			textless[k] = g.textless[k]
		case it != nil && it.version == h.Version && it.reason != contract.GrepChanged:
			still[k] = it
		case it == nil && uint64(h.Version) <= before:
			// Searched, and without a match.
		case g.scope.Head(&h) && (h.Format != "" || g.mayMatch(h.Hash)):
			todo = append(todo, &item{key: k, path: h.Path, version: h.Version, hash: h.Hash, format: h.Format, collection: h.Collection, size: h.Size})
		}
		return true
	})
	g.kept.items, g.skipped, g.textless = still, skipped, textless
	slices.SortFunc(todo, inOrder)
	return todo
}

// mayMatch is false for a text of which it is known that no line of it matches. All
// others are read, and only what is read decides.
func (g *Grep) mayMatch(h document.Hash) bool {
	may, known := g.sieve.May(h)
	if !may {
		g.passed++
	} else if !known && !g.sieve.Off() {
		g.unknown++
	}
	return may
}

// workers is how many documents are read at the same time: as many as half of the
// processors search, so that other questions are answered meanwhile, and one that
// waits for the log.
func workers() int { return 1 + max(1, runtime.GOMAXPROCS(0)/2) }

// read searches documents. Each of them then is kept, or has no match.
func (g *Grep) read(ctx context.Context, todo []*item) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(workers())
	for batch := range g.batches(todo) {
		group.Go(func() error { return g.readBatch(within, batch) })
	}
	err := group.Wait()
	select {
	case <-ctx.Done():
		return nil // what was not searched is kept as such
	default:
		return err
	}
}

// A batch is read by one request to the log.
const (
	batchDocuments = 64
	batchBytes     = 2 << 20
)

// batches cuts a list of documents. Those for which there are no bytes left are in
// none, and kept.
func (g *Grep) batches(todo []*item) func(yield func([]*item) bool) {
	return func(yield func([]*item) bool) {
		var batch []*item
		size := int64(0)
		for _, it := range todo {
			if g.maxBytes > 0 && g.spent+it.size > g.maxBytes {
				g.leave(it, contract.GrepBytes)
				continue
			}
			g.spent += it.size
			if len(batch) > 0 && (len(batch) == batchDocuments || size+it.size > batchBytes) {
				if !yield(batch) {
					return
				}
				batch, size = nil, 0
			}
			batch, size = append(batch, it), size+it.size
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

package indexer

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// step is what a pass has to do next.
type step int

const (
	stepRead    step = iota // read the head of INDEXED
	stepWrite               // write put to the store, then refresh it
	stepPublish             // publish INDEXED with compare-and-swap
	stepConfirm             // ask whether the document was purged meanwhile
	stepDrop                // delete drop from the store
	stepDone
)

// listing is a head of INDEXED: what a sink is known to show of a document.
// The zero listing is that of a document that was never indexed.
type listing struct {
	seq    uint64
	covers contract.Covers
	store  string
	ids    []document.ChunkID
	bare   []document.ChunkID
}

// pass brings one message of the input to one sink. It is the whole protocol
// of a sink worker, free of input and output, so that the same code runs in
// the service and under the exhaustive interleaving of the tests:
//
//	read → write → publish → drop what the replaced head listed → done
//	 │  ↖───────────┘ lost the compare-and-swap
//	 │               └ no head was replaced: confirm that the document was not
//	 │                 purged; else drop what this pass created → done
//	 └ covered: drop what this pass created and the head does not list → done
//
// Deletes come after the publish, so only the worker that replaced a head
// deletes what that head listed. Before the publish they would leave an
// orphan without any crash: a slow worker with an older message creates the
// chunk again, loses, and still finds it listed. An id is born once and never
// comes back, so a delete can never hit what a newer message lists.
type pass struct {
	// of the message
	covers contract.Covers
	ids    []document.ChunkID
	bare   []document.ChunkID
	store  string // id of the store that is written to
	// holds tells whether the store holds what a head of INDEXED lists, made
	// for a store at a sequence.
	holds func(store string, seq uint64) bool

	head    listing // as last read
	put     []document.ChunkID
	del     []document.ChunkID // what the head lists and the message does not
	created []document.ChunkID // by this pass, over all rounds
	drop    []document.ChunkID
	step    step
}

// read takes the present head and decides what follows.
func (p *pass) read(head listing) {
	p.head = head
	p.put, p.del = nil, nil
	if head.covers.Includes(p.covers) {
		// Somebody showed this message or a newer one; where the store lost it
		// since, its keeper brings it back. What this pass created and nobody
		// lists would stay for ever.
		p.discard(minus(p.created, head.ids))
		return
	}
	// What a store lost it may still hold; putting what is there already is
	// done at once, and so is deleting what is not.
	p.put, p.del = p.ids, minus(head.ids, p.ids)
	if p.holds(head.store, head.seq) {
		p.put = minus(p.ids, head.ids)
	}
	p.step = stepWrite
	if len(p.put) == 0 {
		p.step = stepPublish
	}
}

// wrote notes that put is in the store and visible.
func (p *pass) wrote() {
	p.created = append(p.created, minus(p.put, p.created)...)
	p.step = stepPublish
}

// published notes the outcome of the publish.
func (p *pass) published(won bool) {
	if !won {
		p.step = stepRead
		return
	}
	// What an earlier round created for a head that was replaced meanwhile is
	// listed by now: it stands in ids.
	if p.head.seq == 0 {
		p.step = stepConfirm
		return
	}
	p.discard(p.del)
}

// confirmed notes whether the document had been deleted and purged before the
// publish, which then was taken back: what this pass created goes, too.
func (p *pass) confirmed(late bool) {
	if late {
		p.discard(p.created)
		return
	}
	p.discard(p.del)
}

func (p *pass) discard(ids []document.ChunkID) {
	p.drop = ids
	p.step = stepDrop
	if len(ids) == 0 {
		p.step = stepDone
	}
}

// begun reports whether something may have been written.
func (p *pass) begun() bool { return p.step != stepRead || len(p.created) > 0 }

// dropped notes that drop was deleted.
func (p *pass) dropped() { p.step = stepDone }

// listing is what the pass publishes.
func (p *pass) listing() listing {
	return listing{covers: p.covers, store: p.store, ids: p.ids, bare: p.bare}
}

// minus returns the ids of a that are not in b, in a's order. The lists of
// one document are short; beyond that it sorts.
func minus(a, b []document.ChunkID) []document.ChunkID {
	if len(a) == 0 || len(b) == 0 {
		return slices.Clone(a)
	}
	sorted := slices.Clone(b)
	slices.SortFunc(sorted, document.ChunkID.Compare)
	var out []document.ChunkID
	for _, id := range a {
		if _, ok := slices.BinarySearchFunc(sorted, id, document.ChunkID.Compare); !ok {
			out = append(out, id)
		}
	}
	return out
}

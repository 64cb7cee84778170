package indexer

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// The explorer runs the service's own state machine (pass) for two workers on
// one path in every order, with a crash at any step, and looks at every final
// state. Reads, puts, deletes and publishes are single steps, as they are
// against a real store and the log.

const exploredStore = "store-1"

// world is one state of the log, the store and the workers.
type world struct {
	input   int // newest input message, index+1; 0 = none yet
	handled int // an acknowledged message, the highest; replaced ones need no ack
	queued  []int
	store   map[document.ChunkID]bool
	head    listing
	seq     uint64
	workers [2]workerState
	crashes int
	fails   int  // passes that ended with an error
	noted   bool // one of them, and it was not looked after yet

	lineage contract.Lineage
	copy    *backup // what the store can be put back to
	backs   int     // how often it was
	lost    bool    // it was, and the keeper has not looked at it yet

	purge  purgeStep
	floor  int // newest version that was purged
	absent int // newest version of which FILES has no head, since it was purged
	due    bool
}

// purgeStep is what the purge of a deletion has to do next.
type purgeStep int

const (
	purgeNone    purgeStep = iota
	purgeOutputs           // the floor is raised
	purgeFiles
	purgeAgain // look at the outputs once more
)

// backup is a copy of the store and its mark.
type backup struct {
	store    map[document.ChunkID]bool
	position uint64
}

type workerState struct {
	busy    bool
	message int
	seq     uint64 // of what it published
	pass    pass
}

func (w *world) clone() *world {
	c := *w
	c.queued = slices.Clone(w.queued)
	c.store = maps.Clone(w.store)
	for i := range c.workers {
		p := &c.workers[i].pass
		p.created = slices.Clone(p.created)
		p.holds = c.holds
	}
	return &c
}

// holds asks the lineage of this world.
func (w *world) holds(store string, seq uint64) bool { return w.lineage.Holds(store, seq) }

// explorer holds the messages of one scenario: the ids that each asks for.
type explorer struct {
	messages   [][]document.ChunkID
	maxCrashes int
	maxFails   int
	untidy     bool // nobody looks after what failed
	maxBacks   int  // times that the store goes back to a copy
	purges     bool
	noFloor    bool // nobody looks at the floor after a publish
	again      bool // the purger looks at what is written behind it
	seen       map[string]bool
	finals     int
	violations []string
}

func (e *explorer) covers(m int) contract.Covers {
	return contract.Covering(document.Worktree, contract.Cover{Version: document.Version(m)})
}

func (e *explorer) explore(w *world) {
	k := w.key()
	if e.seen[k] {
		return
	}
	e.seen[k] = true
	moved := false
	move := func(change func(*world)) {
		moved = true
		c := w.clone()
		change(c)
		e.explore(c)
	}
	if w.input < len(e.messages) {
		move(func(c *world) {
			c.input++
			// A message that waits and is replaced is not delivered any more.
			c.queued = []int{c.input}
		})
	}
	for i := range w.workers {
		if !w.workers[i].busy {
			if len(w.queued) > 0 {
				move(func(c *world) {
					m := c.queued[0]
					c.queued = c.queued[1:]
					c.workers[i] = workerState{busy: true, message: m, pass: pass{covers: e.covers(m), ids: e.messages[m-1], store: c.lineage.Store, holds: c.holds}}
				})
			}
			continue
		}
		move(func(c *world) { e.advance(c, i) })
		if w.crashes < e.maxCrashes {
			move(func(c *world) {
				c.crashes++
				c.redeliver(i)
			})
		}
		if w.fails < e.maxFails {
			e.failMoves(i, move)
		}
	}
	if w.copy == nil && e.maxBacks > 0 {
		move(func(c *world) { c.copy = &backup{maps.Clone(c.store), c.seq} })
	}
	if w.copy != nil && w.backs < e.maxBacks {
		move(func(c *world) {
			c.store, c.backs, c.lost = maps.Clone(c.copy.store), c.backs+1, true
		})
	}
	if w.lost {
		move(e.adopt)
	}
	if !w.lost && w.head.store != "" && !w.holds(w.head.store, w.head.seq) {
		move(e.restore)
	}
	// Only what outlives the batches that run is looked at, and again as long as
	// something is on its way to be listed.
	if w.noted && !w.workers[0].busy && !w.workers[1].busy {
		tidied := w.clone()
		e.sweep(tidied)
		tidied.noted = len(minus(slices.Collect(maps.Keys(tidied.store)), tidied.head.ids)) > 0
		if tidied.key() != w.key() {
			moved = true
			e.explore(tidied)
		}
	}
	e.purgeMoves(w, move)
	if !moved {
		e.finals++
		e.judge(w)
	}
}

// failMoves end the pass of worker i with an error: its step had no effect, or had its
// effect and nobody told.
func (e *explorer) failMoves(i int, move func(func(*world))) {
	for _, effect := range []bool{false, true} {
		move(func(c *world) {
			begun := c.workers[i].pass.begun()
			if effect {
				e.advance(c, i)
			}
			c.fails++
			c.noted = c.noted || begun && !e.untidy
			c.redeliver(i)
		})
	}
}

// redeliver has worker i let go of its message, which comes again where it is the head.
func (w *world) redeliver(i int) {
	m, busy := w.workers[i].message, w.workers[i].busy
	w.workers[i] = workerState{}
	if busy && m == w.input && m > w.absent {
		w.queued = append(w.queued, m)
	}
}

// adopt is the keeper's look at a store that went back: it gets a new id.
func (e *explorer) adopt(w *world) {
	w.lineage, _ = w.lineage.Adopt(w.lineage.Store, w.copy.position, math.MaxUint64, fmt.Sprint("store-", w.backs+1))
	w.lost = false
}

// restore is the keeper's work on a listing that does not hold any more.
func (e *explorer) restore(w *world) {
	have := slices.Collect(maps.Keys(w.store))
	want := e.messages[w.input-1]
	for _, id := range minus(want, have) {
		w.store[id] = true
	}
	w.seq++
	w.head = listing{seq: w.seq, covers: e.covers(w.input), store: w.lineage.Store, ids: want}
	for _, id := range minus(have, want) {
		delete(w.store, id)
	}
}

// advance takes one step of worker i.
func (e *explorer) advance(w *world, i int) {
	k := &w.workers[i]
	switch k.pass.step {
	case stepRead:
		k.pass.read(w.head)
	case stepWrite:
		for _, id := range k.pass.put {
			w.store[id] = true
		}
		k.pass.wrote()
	case stepPublish:
		if k.pass.head.seq != w.head.seq {
			k.pass.published(false)
			return
		}
		w.seq++
		w.head = k.pass.listing()
		w.head.seq = w.seq
		k.seq = w.seq
		k.pass.published(true)
	case stepConfirm:
		late := !e.noFloor && k.message <= w.floor && w.absent >= w.input
		if late && w.head.seq == k.seq {
			w.head = listing{}
		}
		k.pass.confirmed(late)
	case stepDrop:
		for _, id := range k.pass.drop {
			delete(w.store, id)
		}
		k.pass.dropped()
	case stepDone:
		w.handled = max(w.handled, k.message)
		*k = workerState{}
	}
}

// purgeMoves are the steps of the purger. It begins where the newest message is
// a deletion that the sink shows.
func (e *explorer) purgeMoves(w *world, move func(func(*world))) {
	if !e.purges {
		return
	}
	if w.due {
		move(func(c *world) {
			c.due = false
			e.sweep(c)
		})
	}
	if e.again && w.head.seq != 0 && int(w.head.covers.Newest()) <= w.floor && w.floor <= w.absent {
		move(func(c *world) {
			c.due = c.due || len(c.head.ids) > 0
			c.head = listing{}
		})
	}
	switch w.purge {
	case purgeNone:
		if w.input > 0 && w.input > w.absent && e.messages[w.input-1] == nil && w.head.covers.Includes(e.covers(w.input)) {
			move(func(c *world) { c.floor, c.purge = c.input, purgeOutputs })
		}
	case purgeOutputs, purgeAgain:
		move(func(c *world) {
			if c.head.seq != 0 && int(c.head.covers.Newest()) <= c.floor {
				listed := c.head.ids
				c.head = listing{}
				// The purger reports to the indexer what a late worker listed.
				c.due = c.due || len(listed) > 0
			}
			if c.purge = purgeFiles; w.purge == purgeAgain {
				c.purge = purgeNone
			}
		})
	case purgeFiles:
		move(func(c *world) {
			c.purge = purgeAgain
			c.absent = c.floor
			c.queued = slices.DeleteFunc(c.queued, func(m int) bool { return m <= c.floor })
		})
	}
}

// sweep removes what the store holds and neither INDEXED nor the newest input
// lists.
func (e *explorer) sweep(w *world) {
	wanted := slices.Clone(w.head.ids)
	if w.input > w.absent {
		wanted = append(wanted, e.messages[w.input-1]...)
	}
	for id := range w.store {
		if !slices.Contains(wanted, id) {
			delete(w.store, id)
		}
	}
}

// gone reports whether the document is deleted and purged at the end.
func (e *explorer) gone(w *world) bool { return w.absent == len(e.messages) }

func (e *explorer) judge(w *world) {
	if e.gone(w) {
		e.judgePurged(w)
		return
	}
	fail := func(format string, args ...any) {
		e.violations = append(e.violations, fmt.Sprintf(format, args...))
	}
	want := e.messages[len(e.messages)-1]
	if d := minus(want, w.head.ids); len(d) > 0 || len(minus(w.head.ids, want)) > 0 {
		fail("INDEXED lists %v, the newest message %v", w.head.ids, want)
	}
	for _, id := range w.head.ids {
		if !w.store[id] {
			fail("listed chunk %x is missing (%d crashes)", id[0], w.crashes)
		}
	}
	if w.crashes+w.backs == 0 && len(w.store) != len(w.head.ids) {
		fail("without a crash, %d chunks are in the store and %d are listed", len(w.store), len(w.head.ids))
	}
}

// judgePurged looks at the end of a document that was purged: nothing is left
// of it, or, after a crash, what the next sweep of log and store removes.
func (e *explorer) judgePurged(w *world) {
	if w.crashes > 0 {
		// A listing of which the input and FILES have nothing goes, and then
		// what nobody lists.
		w = w.clone()
		w.head = listing{}
		e.sweep(w)
	}
	if w.head.seq != 0 || len(w.store) > 0 {
		e.violations = append(e.violations, fmt.Sprintf("purged, and INDEXED lists %v at %d, the store holds %d (%d crashes)", w.head.ids, w.head.seq, len(w.store), w.crashes))
	}
}

func run(messages [][]document.ChunkID, crashes int) *explorer {
	e := &explorer{messages: messages, maxCrashes: crashes, seen: map[string]bool{}}
	e.explore(newWorld())
	return e
}

func newWorld() *world {
	return &world{store: map[document.ChunkID]bool{}, lineage: contract.Lineage{Store: exploredStore}}
}

// ids makes ids out of numbers; equal numbers are equal ids.
func ids(ns ...byte) []document.ChunkID {
	out := make([]document.ChunkID, len(ns))
	for i, n := range ns {
		out[i][0] = n
	}
	return out
}

// check fails the test on every violation, of at least one final state.
func (e *explorer) check(t *testing.T) {
	t.Helper()
	t.Logf("%d states, %d final", len(e.seen), e.finals)
	if e.finals == 0 {
		t.Fatal("no final state was reached")
	}
	for i, v := range e.violations {
		if i == 5 {
			t.Fatalf("and %d more", len(e.violations)-i)
		}
		t.Error(v)
	}
}

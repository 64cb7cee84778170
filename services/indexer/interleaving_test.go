package indexer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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
}

type workerState struct {
	busy    bool
	message int
	pass    pass
}

func (w *world) clone() *world {
	c := *w
	c.queued = slices.Clone(w.queued)
	c.store = maps.Clone(w.store)
	for i := range c.workers {
		c.workers[i].pass.created = slices.Clone(w.workers[i].pass.created)
	}
	return &c
}

func (w *world) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d|%d|%v|%d|%d|", w.input, w.handled, w.queued, w.seq, w.crashes)
	ids := slices.SortedFunc(maps.Keys(w.store), document.ChunkID.Compare)
	fmt.Fprintf(&b, "%v|%v|%v|", ids, w.head.ids, w.head.covers)
	for _, k := range w.workers {
		p := k.pass
		fmt.Fprintf(&b, "%v%d%d%v%v%v%v%d;", k.busy, k.message, p.step, p.put, p.del, p.created, p.drop, p.head.seq)
	}
	return b.String()
}

// explorer holds the messages of one scenario: the ids that each asks for.
type explorer struct {
	messages   [][]document.ChunkID
	maxCrashes int
	seen       map[string]bool
	finals     int
	violations []string
}

func (e *explorer) covers(m int) contract.Covers {
	return contract.Covers{document.Worktree: {Version: document.Version(m)}}
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
					c.workers[i] = workerState{busy: true, message: m, pass: pass{covers: e.covers(m), ids: e.messages[m-1], store: exploredStore}}
				})
			}
			continue
		}
		move(func(c *world) { e.advance(c, i) })
		if w.crashes < e.maxCrashes {
			move(func(c *world) {
				c.crashes++
				m := c.workers[i].message
				c.workers[i] = workerState{}
				if m == c.input { // still the head: it comes again
					c.queued = append(c.queued, m)
				}
			})
		}
	}
	if !moved {
		e.finals++
		e.judge(w)
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
		k.pass.published(true)
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

func (e *explorer) judge(w *world) {
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
	if w.crashes == 0 && len(w.store) != len(w.head.ids) {
		fail("without a crash, %d chunks are in the store and %d are listed", len(w.store), len(w.head.ids))
	}
}

func run(messages [][]document.ChunkID, crashes int) *explorer {
	e := &explorer{messages: messages, maxCrashes: crashes, seen: map[string]bool{}}
	e.explore(&world{store: map[document.ChunkID]bool{}})
	return e
}

// ids makes ids out of numbers; equal numbers are equal ids.
func ids(ns ...byte) []document.ChunkID {
	out := make([]document.ChunkID, len(ns))
	for i, n := range ns {
		out[i][0] = n
	}
	return out
}

func TestNoInterleavingOfTwoWorkersLosesAListedChunk(t *testing.T) {
	for name, messages := range map[string][][]document.ChunkID{
		"edits":                  {ids(1, 2), ids(2, 3), ids(2, 4)},
		"back to the old text":   {ids(1), ids(2), ids(3)}, // the third has the first's text, and an id of its own
		"deleted and made again": {ids(1, 2), nil, ids(3, 4)},
		"grows and shrinks":      {ids(1), ids(1, 2, 3), ids(3)},
	} {
		t.Run(name, func(t *testing.T) {
			e := run(messages, 2)
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
		})
	}
}

// The same explorer must find what goes wrong when an id can come back:
// otherwise it would prove nothing.
func TestExplorerFindsTheChunkThatAnIDWithoutBornLoses(t *testing.T) {
	e := run([][]document.ChunkID{ids(1), ids(2), ids(1)}, 0)
	if len(e.violations) == 0 {
		t.Fatalf("A→B→A with one id for A: %d final states and no violation", e.finals)
	}
	t.Logf("%d of %d final states lose a listed chunk", len(e.violations), e.finals)
}

// And when the loser does not clean up, orphans stay without any crash.
func TestExplorerFindsTheOrphanThatALoserLeaves(t *testing.T) {
	e := &explorer{messages: [][]document.ChunkID{ids(1, 2), ids(2, 3)}, seen: map[string]bool{}}
	w := &world{store: map[document.ChunkID]bool{}}
	w.input, w.queued = 2, nil
	// Worker 0 holds the first message and has written; worker 1 shows the
	// second one in between; worker 0 then forgets what it created.
	w.workers[0] = workerState{busy: true, message: 1, pass: pass{covers: e.covers(1), ids: ids(1, 2), store: exploredStore}}
	for range 2 { // read, write
		e.advance(w, 0)
	}
	w.workers[1] = workerState{busy: true, message: 2, pass: pass{covers: e.covers(2), ids: ids(2, 3), store: exploredStore}}
	for w.workers[1].busy {
		e.advance(w, 1)
	}
	w.workers[0].pass.created = nil
	for w.workers[0].busy {
		e.advance(w, 0)
	}
	e.judge(w)
	if len(e.violations) == 0 {
		t.Fatal("an orphan without a crash was not noticed")
	}
}

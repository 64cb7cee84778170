package indexer

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestTwoWorkersInEveryOrder_NoListedChunkIsLost(t *testing.T) {
	for name, messages := range map[string][][]document.ChunkID{
		"edits":                  {ids(1, 2), ids(2, 3), ids(2, 4)},
		"back to the old text":   {ids(1), ids(2), ids(3)}, // the third has the first's text, and an id of its own
		"deleted and made again": {ids(1, 2), nil, ids(3, 4)},
		"grows and shrinks":      {ids(1), ids(1, 2, 3), ids(3)},
	} {
		t.Run(name, func(t *testing.T) {
			e := run(messages, 2)
			e.check(t)
		})
	}
}

// A pass may end with an error at any step, whose effect came about or not, and the
// process goes on.
func TestPassFailsAtAnyStep_NoChunkIsLostOrLeft(t *testing.T) {
	for name, messages := range map[string][][]document.ChunkID{
		"edits":                  {ids(1, 2), ids(2, 3), ids(2, 4)},
		"deleted and made again": {ids(1, 2), nil, ids(3, 4)},
		"grows and shrinks":      {ids(1), ids(1, 2, 3), ids(3)},
	} {
		t.Run(name, func(t *testing.T) {
			e := &explorer{messages: messages, maxFails: 2, seen: map[string]bool{}}
			e.explore(newWorld())
			e.check(t)
		})
	}
}

// And the explorer must see what failed passes leave where nobody looks after them.
func TestNobodyLooksAfterFailedPasses_TheExplorerFindsTheOrphan(t *testing.T) {
	e := &explorer{messages: [][]document.ChunkID{ids(1, 2), ids(2, 3)}, maxFails: 1, untidy: true, seen: map[string]bool{}}
	e.explore(newWorld())
	if len(e.violations) == 0 {
		t.Fatalf("%d final states and no violation", e.finals)
	}
	t.Logf("%d of %d final states have an orphan: %s", len(e.violations), e.finals, e.violations[0])
}

// The store is put back to an older copy at any moment, and workers may not
// have heard of its new id.
func TestStoreThatWentBack_GetsItsListedChunksBack(t *testing.T) {
	for name, c := range map[string]struct {
		messages       [][]document.ChunkID
		crashes, backs int
	}{
		"edits":             {[][]document.ChunkID{ids(1, 2), ids(2, 3)}, 1, 1},
		"grows":             {[][]document.ChunkID{ids(1), ids(1, 2)}, 0, 2},
		"deleted":           {[][]document.ChunkID{ids(1, 2), nil}, 0, 2},
		"edited once again": {[][]document.ChunkID{ids(1), ids(1, 2), ids(1, 3)}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := &explorer{messages: c.messages, maxCrashes: c.crashes, maxBacks: c.backs, seen: map[string]bool{}}
			e.explore(newWorld())
			e.check(t)
		})
	}
}

// A deletion is purged as soon as the sink shows it, with workers anywhere on
// their way, and the document is made again at any moment.
var purged = map[string][][]document.ChunkID{
	"deleted":                {ids(1, 2), nil},
	"edited and deleted":     {ids(1, 2), ids(2, 3), nil},
	"deleted and made again": {ids(1), nil, ids(2)},
	"made again and deleted": {ids(1), nil, ids(2), nil},
}

func TestLateWorker_BringsNoPurgedDocumentBack(t *testing.T) {
	for name, messages := range purged {
		t.Run(name, func(t *testing.T) {
			e := &explorer{messages: messages, maxCrashes: 1, purges: true, seen: map[string]bool{}}
			e.explore(newWorld())
			e.check(t)
		})
	}
}

// A pass that fails behind its publish has not asked whether it came too late.
func TestLatePassFails_ThePurgerTakesItsListingBack(t *testing.T) {
	for name, messages := range purged {
		t.Run(name, func(t *testing.T) {
			e := &explorer{messages: messages, maxFails: 1, purges: true, again: true, seen: map[string]bool{}}
			e.explore(newWorld())
			e.check(t)
		})
	}
}

// And it must find the ghost that a worker leaves which does not look at the
// floor.
func TestFloorIsLeftOut_TheExplorerFindsTheGhost(t *testing.T) {
	e := &explorer{messages: purged["deleted"], purges: true, noFloor: true, seen: map[string]bool{}}
	e.explore(newWorld())
	if len(e.violations) == 0 {
		t.Fatalf("without the floor: %d final states and no violation", e.finals)
	}
	t.Logf("%d of %d final states have a ghost: %s", len(e.violations), e.finals, e.violations[0])
}

// The same explorer must find what goes wrong when an id can come back:
// otherwise it would prove nothing.
func TestIDWithoutBorn_TheExplorerFindsTheLostChunk(t *testing.T) {
	e := run([][]document.ChunkID{ids(1), ids(2), ids(1)}, 0)
	if len(e.violations) == 0 {
		t.Fatalf("A→B→A with one id for A: %d final states and no violation", e.finals)
	}
	t.Logf("%d of %d final states lose a listed chunk", len(e.violations), e.finals)
}

// And when the loser does not clean up, orphans stay without any crash.
func TestLoserDoesNotCleanUp_TheExplorerFindsTheOrphan(t *testing.T) {
	e := &explorer{messages: [][]document.ChunkID{ids(1, 2), ids(2, 3)}, seen: map[string]bool{}}
	w := newWorld()
	w.input, w.queued = 2, nil
	// Worker 0 holds the first message and has written; worker 1 shows the
	// second one in between; worker 0 then forgets what it created.
	w.workers[0] = workerState{busy: true, message: 1, pass: pass{covers: e.covers(1), ids: ids(1, 2), store: exploredStore, holds: w.holds}}
	for range 2 { // read, write
		e.advance(w, 0)
	}
	w.workers[1] = workerState{busy: true, message: 2, pass: pass{covers: e.covers(2), ids: ids(2, 3), store: exploredStore, holds: w.holds}}
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

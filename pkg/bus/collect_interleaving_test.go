package bus

import (
	"fmt"
	"testing"
)

// The explorer lets two writers publish bodies on one subject, beside the
// collector, in every order. Each request to the log or the object store is one
// step. The decisions are the collector's own (fateOf); the writer's are those
// of Publish: put, publish with compare-and-swap, then look whether the body is
// there. The subject may be emptied once in between, as when its source is
// removed, and the time of grace may end at any moment.

type bodyWorld struct {
	seq     uint64 // last of the stream
	last    uint64 // of the subject, 0 for none
	named   int    // writer whose body the head names, -1 for none
	object  [2]bool
	writers [2]writerSteps
	coll    collectorSteps
	passes  int
	emptied bool
}

type writerSteps struct {
	step   int // 0 read the head, 1 put, 2 publish, 3 look and put again, 4 done
	expect uint64
}

type collectorSteps struct {
	step   int // 0 idle, 1 drop, 2 look again
	object int
	fate   bodyFate
}

// bodyExplorer walks through every state. A guard that is switched off shows
// that the explorer would see what it is for.
type bodyExplorer struct {
	seen       map[bodyWorld]bool
	finals     int
	violations []string

	skipLook, skipSecondLook, trustEmpty, keepForever bool
}

const explorePasses = 3

func (e *bodyExplorer) explore(w bodyWorld) {
	if e.seen[w] {
		return
	}
	e.seen[w] = true
	moved := false
	move := func(change func(*bodyWorld)) {
		moved = true
		c := w
		change(&c)
		e.explore(c)
	}
	for i := range w.writers {
		if w.writers[i].step < 4 {
			move(func(c *bodyWorld) { e.write(c, i) })
		}
	}
	if !w.emptied && w.last != 0 {
		move(func(c *bodyWorld) { c.emptied, c.last, c.named = true, 0, -1 })
	}
	switch {
	case w.coll.step > 0:
		move(e.collect)
	case w.passes < explorePasses:
		for i, there := range w.object {
			if !there {
				continue
			}
			for _, waited := range []bool{false, true} {
				own := w.writers[i]
				fate := fateOf(w.named == i, w.last, own.expect, waited)
				if e.trustEmpty && fate == dropAndLook && w.last != own.expect {
					fate = dropBody
				}
				if fate != keepBody {
					move(func(c *bodyWorld) {
						c.passes++
						c.coll = collectorSteps{1, i, fate}
					})
				}
			}
		}
	}
	if !moved {
		e.finals++
		e.judge(w)
	}
}

func (e *bodyExplorer) write(w *bodyWorld, i int) {
	k := &w.writers[i]
	switch k.step {
	case 0:
		k.expect = w.last
	case 1:
		w.object[i] = true
	case 2:
		if w.last != k.expect { // lost: its body is the collector's
			k.step = 4
			return
		}
		w.seq++
		w.last, w.named = w.seq, i
	case 3:
		if !e.skipLook {
			w.object[i] = true
		}
	}
	k.step++
}

func (e *bodyExplorer) collect(w *bodyWorld) {
	c := &w.coll
	switch c.step {
	case 1:
		w.object[c.object] = false
		c.step = 2
		if c.fate == dropBody || e.skipSecondLook {
			*c = collectorSteps{}
		}
	case 2:
		if w.named == c.object {
			w.object[c.object] = true
		}
		*c = collectorSteps{}
	}
}

func (e *bodyExplorer) judge(w bodyWorld) {
	if w.named >= 0 && !w.object[w.named] {
		e.violations = append(e.violations, fmt.Sprintf("the head names the body of writer %d, which is gone: %+v", w.named, w))
	}
	for i, there := range w.object {
		// One more pass, long afterwards.
		if there && w.named != i && (e.keepForever || fateOf(false, w.last, w.writers[i].expect, true) == keepBody) {
			e.violations = append(e.violations, fmt.Sprintf("the body of writer %d stays for ever: %+v", i, w))
		}
	}
}

func exploreBodies(e *bodyExplorer) *bodyExplorer {
	e.seen = map[bodyWorld]bool{}
	e.explore(bodyWorld{named: -1})
	return e
}

func TestWritersAndCollectorInEveryOrder_NoNamedBodyIsLost(t *testing.T) {
	e := exploreBodies(&bodyExplorer{})
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

// The same explorer must see what each guard is for: otherwise it would prove
// nothing.
func TestEachGuardIsLeftOut_TheExplorerFindsTheLostBody(t *testing.T) {
	for name, e := range map[string]*bodyExplorer{
		"the writer does not look whether its body is still there": {skipLook: true},
		"the collector does not look again":                        {skipSecondLook: true},
		"a subject that was emptied counts as one that moved on":   {trustEmpty: true},
		"nothing is removed":                                       {keepForever: true},
	} {
		if exploreBodies(e); len(e.violations) == 0 {
			t.Errorf("%s: %d final states and no violation", name, e.finals)
		}
	}
}

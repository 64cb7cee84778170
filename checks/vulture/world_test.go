package vulture

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A switch of branches removes a file before it writes it again. That its
// deletion came into the log for a moment, and is told of late, must not be
// taken for the deletion that was begun after the switch was acknowledged.
func TestMomentOfASwitch_IsNotTakenForALaterDelete(t *testing.T) {
	w := newWorld()
	op := w.begin(true, effect{at: testSpot, content: []byte(first), way: replaced})
	w.written(op)
	w.finish(op, document.Token{Epoch: 1, Seq: 20})
	later := w.begin(true, effect{at: testSpot})
	w.observe(testSpot, logged{seq: 18, op: contract.OpDelete})
	w.observe(testSpot, logged{seq: 20, op: contract.OpPut, hash: document.HashOf([]byte(first))})
	contents, absent := w.possible(testSpot, 20, 20, time.Now())
	if len(contents) != 1 || absent {
		t.Errorf("at the switch's token %d contents are possible, and absence: %v", len(contents), absent)
	}
	w.finish(later, document.Token{Epoch: 1, Seq: 30})
	if contents, absent := w.possible(testSpot, 30, 30, time.Now()); len(contents) != 0 || !absent {
		t.Errorf("at the delete's token %d contents are possible, and absence: %v", len(contents), absent)
	}
}

func TestForgetting_ChangesNoVerdict(t *testing.T) {
	w := newWorld()
	gone := spot{testSource, "w0/gone.go"}
	for i, content := range [][]byte{[]byte(first), []byte(second), []byte(first)} {
		op := w.begin(true, effect{at: testSpot, content: content})
		seq := uint64(10 * (i + 1))
		w.finish(op, document.Token{Epoch: 1, Seq: seq})
		w.observe(testSpot, logged{seq: seq, op: contract.OpPut, hash: document.HashOf(content)})
	}
	w.finish(w.begin(true, effect{at: gone, content: []byte(first)}), document.Token{Epoch: 1, Seq: 40})
	w.finish(w.begin(true, effect{at: gone}), document.Token{Epoch: 1, Seq: 50})
	w.forget(25)
	if n := len(w.files[testSpot].states); n != 2 {
		t.Errorf("%d states are kept, want the one at 25 and the one after it", n)
	}
	if v, content, known := w.at(testSpot, 25); !known || v.seq != 20 || string(content) != second {
		t.Errorf("at 25 the log holds %+v %q (%v)", v, content, known)
	}
	if w.files[gone] == nil {
		t.Error("a file is forgotten before its deletion")
	}
	w.forget(50)
	if w.files[gone] != nil {
		t.Error("a deleted file is kept for ever")
	}
	if contents, _ := w.possible(testSpot, 50, 50, time.Now()); len(contents) != 1 || string(contents[0]) != first {
		t.Errorf("at 50 these are possible: %q", contents)
	}
}

package vulture

import (
	"slices"
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

// A file that is written in place is read in the middle of it, and the log has what was
// there then.
func TestFileIsReadWhileItIsWritten_ThatPartWasPossible(t *testing.T) {
	for name, c := range map[string]struct {
		way  way
		hash document.Hash
		want bool
	}{
		"a part of what is written":     {inPlace, document.HashOf([]byte(second[:5])), true},
		"the same of one that is moved": {atOnce, document.HashOf([]byte(second[:5])), false},
		"something else":                {inPlace, document.HashOf([]byte("else")), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.finish(w.begin(true, effect{at: testSpot, content: []byte(first)}), document.Token{Epoch: 1, Seq: 10})
			op := w.begin(true, effect{at: testSpot, content: []byte(second), way: c.way})
			w.observe(testSpot, logged{seq: 12, op: contract.OpPut, hash: c.hash})
			possible := func(from, to uint64) bool {
				contents, _ := w.possible(testSpot, from, to, time.Now())
				return slices.ContainsFunc(contents, func(c []byte) bool { return string(c) == second[:5] })
			}
			if got := possible(12, 12); got != c.want {
				t.Errorf("it is possible: %t, want %t", got, c.want)
			}
			if _, content, known := w.at(testSpot, 12); known != c.want || c.want && string(content) != second[:5] {
				t.Errorf("the log is known to hold %q (%t)", content, known)
			}
			if possible(11, 11) {
				t.Error("it is possible before it was in the log")
			}
			w.observe(testSpot, logged{seq: 14, op: contract.OpPut, hash: document.HashOf([]byte(second))})
			w.finish(op, document.Token{Epoch: 1, Seq: 14})
			if possible(14, 20) {
				t.Error("it is possible after the whole was in the log")
			}
			w.forget(14)
			if n := len(w.files[testSpot].log); n != 1 {
				t.Errorf("%d versions are kept for ever", n)
			}
		})
	}
}

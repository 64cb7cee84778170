package logcheck

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server/avl"
)

// The server keeps the numbers of deleted messages below the first one that is
// left of a block. Taken for messages that the block lacks, they made a log look
// damaged that was not.
func TestNumbersBelowTheFirstMessage_AreNotCountedAsDeleted(t *testing.T) {
	b := indexed{first: 10, last: 14, deleted: &avl.SequenceSet{}}
	for _, seq := range []uint64{3, 4, 5, 6, 11} {
		b.deleted.Insert(seq)
	}
	if n := b.count(); n != 4 {
		t.Errorf("%d messages, want 4", n)
	}
	x := index{messages: 4, subjects: map[string]uint64{"a": 3, "b": 1}, blocks: map[int]indexed{1: b}}
	if !x.even() {
		t.Error("the counts of the index do not agree")
	}
}

package logcheck

import (
	"slices"
	"testing"
)

// A server that was killed tells of deletions before the first message, too. Taken for a
// claim, they made the removal of a block look like its loss, and the program stopped.
func TestDeletionsBeforeTheFirstMessage_ClaimNothing(t *testing.T) {
	for _, c := range []struct {
		claim Claim
		want  []uint64
	}{
		{Claim{First: 10, Last: 14, Deleted: []uint64{11, 13}}, []uint64{10, 12, 14}},
		{Claim{First: 10, Last: 14, Deleted: []uint64{5, 6, 11, 13, 20}}, []uint64{10, 12, 14}},
		{Claim{First: 10, Last: 12}, []uint64{10, 11, 12}},
		{Claim{First: 1}, nil},
	} {
		if got := slices.Collect(c.claim.all); !slices.Equal(got, c.want) {
			t.Errorf("%+v claims %v, want %v", c.claim, got, c.want)
		}
	}
}

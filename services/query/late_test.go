package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// The body of a document comes slower than the question has time: the answer shows the
// others, and lists this one.
func TestLargeDocumentNotReadInTime_IsListedBesideTheOthers(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]contract.SearchRequest{
		"words": {Query: "heron weir"},
		"quote": {Query: `"the heron stands" weir`},
		"place": {Query: "heron.go:1: the heron"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.stored("heron.go", "the heron stands in the weir\n\n"+tooLargeForAMessage()+"\n")
			r.stored("other.go", "the heron stands beside the weir\n")
			r.stall(r.last(contract.StreamChunks, contract.ChunksSubject(generation, "s", document.DocOf("heron.go"))).Header.Get(contract.HeaderClaim))
			in.DeadlineMS = 1500
			reply := r.search(in)
			if got := paths(reply); len(got) != 1 || got[0] != "other.go" {
				t.Errorf("hits %v, want other.go", got)
			}
			told := strings.Join(reply.Degraded, "\n")
			if strings.Contains(told, "made again") {
				t.Errorf("the answer says of a document that is whole: %q", told)
			}
			listed := len(reply.Pending) == 1 && reply.Pending[0].Path == "heron.go" && !reply.Pending[0].Searched
			if !listed && !strings.Contains(told, "in time") {
				t.Errorf("neither pending %+v nor degraded %q says that heron.go was not looked at", reply.Pending, told)
			}
		})
	}
}

// tooLargeForAMessage is one word, which is no work, and does not compress.
func tooLargeForAMessage() string {
	var large strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&large, "%x", document.HashOf([]byte(fmt.Sprint(i))))
	}
	return large.String()
}

// stall keeps the parts of an object back, so that whoever reads it waits for them.
func (r *rig) stall(object string) {
	js := r.bus.JetStream()
	objects, err := js.ObjectStore(r.Context(), contract.BucketBodies)
	if err != nil {
		r.Fatal(err)
	}
	info, err := objects.GetInfo(r.Context(), object)
	if err != nil {
		r.Fatal(err)
	}
	stream, err := js.Stream(r.Context(), "OBJ_"+contract.BucketBodies)
	if err == nil {
		err = stream.Purge(r.Context(), jetstream.WithPurgeSubject("$O."+contract.BucketBodies+".C."+info.NUID))
	}
	if err != nil {
		r.Fatal(err)
	}
}

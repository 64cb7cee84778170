package contract

import (
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
)

// DeadHead is the head of a message of DEAD, without its body.
type DeadHead struct {
	Stage  Stage
	Source document.Source
	Doc    document.DocID
	Seq    uint64 // sequence in DEAD; not a header
	Path   document.Path
	// Covers are the versions that the failed message covered.
	Covers   Covers
	Reason   string
	Attempts int
	// Cleared is true where the stage has succeeded since.
	Cleared bool
}

// maxReason bounds the reason in the headers in bytes: encoded it may be three
// times as long, and the log takes 64 KiB of headers. The body has all of it.
const maxReason = 8 << 10

// Header returns the headers of a DEAD message.
func (h DeadHead) Header() nats.Header {
	op := OpPut
	if h.Cleared {
		op = OpDelete
	}
	return nats.Header{
		HeaderPath:     []string{string(h.Path)},
		HeaderOp:       []string{string(op)},
		HeaderCovers:   []string{h.Covers.String()},
		HeaderReason:   []string{string(document.EncodePath(h.Reason[:min(len(h.Reason), maxReason)]))},
		HeaderAttempts: []string{strconv.Itoa(h.Attempts)},
	}
}

// ParseDeadHead reads the head of a DEAD message.
func ParseDeadHead(subject string, seq uint64, header nats.Header) (DeadHead, error) {
	k, err := ParseSubject(subject)
	if err != nil {
		return DeadHead{}, err
	}
	if k.Stream != StreamDead {
		return DeadHead{}, fmt.Errorf("subject %q is not one of %s", subject, StreamDead)
	}
	covers, err := ParseCovers(header.Get(HeaderCovers))
	if err != nil {
		return DeadHead{}, err
	}
	n, _ := strconv.Atoi(header.Get(HeaderAttempts))
	return DeadHead{
		Stage: k.Stage, Source: k.Source, Doc: k.Doc, Seq: seq,
		Path: document.Path(header.Get(HeaderPath)), Covers: covers,
		Reason:   document.Path(header.Get(HeaderReason)).Raw(),
		Attempts: n, Cleared: Op(header.Get(HeaderOp)) == OpDelete,
	}, nil
}

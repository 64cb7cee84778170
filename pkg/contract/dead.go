package contract

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
)

// LetterState says what is to become of a dead letter.
type LetterState string

// The states of a dead letter.
const (
	LetterFailed    LetterState = "failed"
	LetterRetrying  LetterState = "retrying"  // its stage is to handle the document again
	LetterDismissed LetterState = "dismissed" // somebody has seen it and wants to hear no more
)

// LetterStates lists every state.
var LetterStates = []LetterState{LetterFailed, LetterRetrying, LetterDismissed}

// FailureKind says why a stage gave up.
type FailureKind string

// The kinds of failure.
const (
	FailureTries   FailureKind = "tries"   // every try failed
	FailureRefused FailureKind = "refused" // no further try could have mended it
	FailurePanic   FailureKind = "panic"   // the stage's code broke
	FailureKilled  FailureKind = "killed"  // processes ended while they handled it
)

// FailureKinds lists every kind.
var FailureKinds = []FailureKind{FailureTries, FailureRefused, FailurePanic, FailureKilled}

// DeadHead is the head of a message of DEAD, without its body.
type DeadHead struct {
	Stage  Stage
	Source document.Source
	Doc    document.DocID
	// Build is the one in the making of which the stage gave up.
	Build BuildID
	Seq   uint64 // sequence in DEAD; not a header
	Path  document.Path
	// Covers are the versions that the stage gave up on.
	Covers Covers
	Kind   FailureKind
	// Reason may be cut; the body has the whole of it.
	Reason string
	// Attempts counts the tries, those after a retry included.
	Attempts int
	Time     time.Time // of the last failure; zero where an older version wrote it
	// State is LetterFailed where it is empty.
	State LetterState
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
	out := nats.Header{
		HeaderPath:     []string{string(h.Path)},
		HeaderOp:       []string{string(op)},
		HeaderCovers:   []string{h.Covers.String()},
		HeaderReason:   []string{string(document.EncodePath(h.Reason[:min(len(h.Reason), maxReason)]))},
		HeaderAttempts: []string{strconv.Itoa(h.Attempts)},
	}
	if h.Kind != "" {
		out[HeaderKind] = []string{string(h.Kind)}
	}
	if !h.Time.IsZero() {
		out[HeaderTime] = []string{strconv.FormatInt(h.Time.UnixNano(), 10)}
	}
	if h.State != "" && h.State != LetterFailed {
		out[HeaderState] = []string{string(h.State)}
	}
	return out
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
	if len(header[HeaderCovers]) == 0 {
		return DeadHead{}, fmt.Errorf("message %d on %q does not say what it covers", seq, subject)
	}
	covers, err := ParseCovers(header.Get(HeaderCovers))
	if err != nil {
		return DeadHead{}, err
	}
	n, _ := strconv.Atoi(header.Get(HeaderAttempts))
	h := DeadHead{
		Stage: k.Stage, Source: k.Source, Doc: k.Doc, Build: k.Build, Seq: seq,
		Path: document.Path(header.Get(HeaderPath)), Covers: covers,
		Reason:   document.Path(header.Get(HeaderReason)).Raw(),
		Kind:     FailureKind(header.Get(HeaderKind)),
		Attempts: n, State: LetterState(header.Get(HeaderState)), Cleared: Op(header.Get(HeaderOp)) == OpDelete,
	}
	if at, err := strconv.ParseInt(header.Get(HeaderTime), 10, 64); err == nil {
		h.Time = time.Unix(0, at)
	}
	if h.State == "" {
		h.State = LetterFailed
	}
	return h, nil
}

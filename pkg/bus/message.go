package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Msg is a message of the log. Its Header must not be changed.
type Msg struct {
	Subject string
	Seq     uint64
	Header  nats.Header
	Time    time.Time
	// Nudged is true for a head that was handed to a reserved worker ahead of
	// its delivery.
	Nudged bool
	// Again is true where this worker has handled the subject before: a head
	// table may not know yet of what it wrote.
	Again bool
	// Redo is true for a nudged head whose output was found to be gone or wrong:
	// the head table of the output does not count.
	Redo bool
	// Suspect is true where handling this message may have ended a worker
	// twice: handle it in the safest way there is.
	Suspect bool

	bus   *Bus
	data  []byte
	lease *lease
}

// Body returns the decompressed body. ErrGone means that the claim-checked
// body is no longer there, because the message was replaced. An error of a body
// that is damaged or lost is one of Unread.
func (m *Msg) Body(ctx context.Context) ([]byte, error) {
	data := m.data
	if name := m.Header.Get(contract.HeaderClaim); name != "" {
		var err error
		if data, err = m.bus.bodies.get(ctx, name); err != nil {
			return nil, m.withoutClaim(ctx, err)
		}
	}
	if m.Header.Get(contract.HeaderEncoding) != "zstd" {
		return data, nil
	}
	out, err := m.bus.dec.DecodeAll(data, nil)
	if err != nil {
		return nil, m.Unread(fmt.Errorf("decompress message %d on %s: %w", m.Seq, m.Subject, err))
	}
	return out, nil
}

// Content is Body of a message of FILES whose head is h: the text of that
// version. One that is not what its hash says is Unread, too.
func (m *Msg) Content(ctx context.Context, h *contract.FileHead) ([]byte, error) {
	text, err := m.Body(ctx)
	if err != nil {
		return nil, err
	}
	if got := document.HashOf(text); got != h.Hash {
		return nil, m.Unread(fmt.Errorf("version %d of %s has the hash %s, its header says %s", h.Version, h.Path, got, h.Hash))
	}
	return text, nil
}

// Progress says that handling goes on: it extends the lease, and with it the
// handler's deadline, by one lease.
func (m *Msg) Progress() {
	if m.lease != nil {
		m.lease.extend()
	}
}

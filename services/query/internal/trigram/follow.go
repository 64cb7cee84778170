package trigram

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A batch is read by one request to the log.
const (
	batchDocuments = 64
	batchBytes     = 1 << 20
)

const (
	// coalesce is how long a new text waits to be signed: one that is replaced
	// meanwhile need not be.
	coalesce = 200 * time.Millisecond
	// share is the part of one processor that is used at most: what has no
	// signature yet is read, so nobody waits for it.
	share = 3
	// again is the pause before a log that did not answer is asked once more.
	again = time.Second
)

// Run signs what the heads show until ctx ends.
func (x *Index) Run(ctx context.Context) error {
	if x.limit == 0 {
		return nil
	}
	if err := x.bus.Files().Ready(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer x.bus.Files().Observe(x.observe)()
	for {
		select {
		case <-x.wake:
		case <-ctx.Done():
			return nil
		}
		if !pause(ctx, coalesce) {
			return nil
		}
		x.catchUp(ctx)
	}
}

// catchUp signs until nothing waits, a part of the time.
func (x *Index) catchUp(ctx context.Context) {
	maker := NewMaker()
	for batch := x.take(); len(batch) > 0; batch = x.take() {
		began := time.Now()
		if err := x.sign(ctx, maker, batch); err != nil {
			x.giveBack(batch)
			began = time.Now().Add(-again)
		}
		if !pause(ctx, (share-1)*time.Since(began)) {
			return
		}
	}
}

// sign reads texts in the messages that the log has of them now. What is gone, or
// cannot be read, has no signature: who searches it is told so by the log.
func (x *Index) sign(ctx context.Context, maker *Maker, batch []wanted) error {
	subjects := make([]string, len(batch))
	for i, w := range batch {
		subjects[i] = contract.FileSubject(w.key.Source, w.key.Doc, w.key.View)
	}
	messages, err := x.bus.GetLast(ctx, contract.StreamFiles, subjects...)
	if err != nil {
		return err
	}
	for i, w := range batch {
		if m := messages[subjects[i]]; m != nil {
			x.signOne(ctx, maker, w.hash, m)
		}
		delete(messages, subjects[i])
	}
	return nil
}

func (x *Index) signOne(ctx context.Context, maker *Maker, h document.Hash, m *bus.Msg) {
	body, err := m.Body(ctx)
	if err == nil && document.HashOf(body) == h {
		x.put(h, maker.Sign(body))
	}
}

// pause is false where ctx ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

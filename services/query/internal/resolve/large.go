package resolve

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// ErrLate says of a body that it is large and was not read in time. It is read on, so
// that a question asked again has it.
var ErrLate error = document.Errorf(document.Deadline, "not all passages were read in time: ask again, or allow more with deadline_ms")

// Late reports whether the body was not read in time: nothing is wrong with it.
func (b *Body) Late() bool { return b != nil && errors.Is(b.Unread, ErrLate) }

// Large bodies are read beside the question that wants them, since that may end before
// they are there.
const (
	largeAtOnce = 2 // in memory, beside what is kept
	largeTime   = time.Minute
	// lateReserve is left of a question's time for what comes behind the reading of
	// its bodies; of a short one a quarter is.
	lateReserve = 200 * time.Millisecond
)

// flights are the reads of large bodies that are under way, by sequence in CHUNKS. Its
// zero value is ready for use, by several at once.
type flights struct {
	mu    sync.Mutex
	once  sync.Once
	turn  chan struct{}
	going map[uint64]*flight
}

type flight struct {
	done chan struct{}
	body *Body
	err  error
}

// read returns what load returns for a sequence, which is called once however many ask
// for it meanwhile, and goes on when ctx has ended. ErrLate where ctx has hardly any time
// left by then.
func (f *flights) read(ctx context.Context, seq uint64, load func(context.Context) (*Body, error)) (*Body, error) {
	one := f.join(ctx, seq, load)
	var late <-chan time.Time
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		t := time.NewTimer(left - min(left/4, lateReserve))
		defer t.Stop()
		late = t.C
	}
	select {
	case <-one.done:
		return one.body, one.err
	case <-late:
		return nil, ErrLate
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *flights) join(ctx context.Context, seq uint64, load func(context.Context) (*Body, error)) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.going[seq]; ok {
		return one
	}
	f.once.Do(func() { f.turn, f.going = make(chan struct{}, largeAtOnce), map[uint64]*flight{} })
	one := &flight{done: make(chan struct{})}
	f.going[seq] = one
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), largeTime)
		defer cancel()
		f.turn <- struct{}{}
		one.body, one.err = load(ctx)
		<-f.turn
		f.mu.Lock()
		delete(f.going, seq)
		f.mu.Unlock()
		close(one.done)
	}()
	return one
}

// bodyOf reads the body of a message of CHUNKS, and keeps it.
func (r *Reader) bodyOf(ctx context.Context, m *bus.Msg, head contract.OutputHead) (*Body, error) {
	if m.Header.Get(contract.HeaderClaim) == "" {
		return r.decode(ctx, m, head)
	}
	return r.large.read(ctx, m.Seq, func(ctx context.Context) (*Body, error) { return r.decode(ctx, m, head) })
}

func (r *Reader) decode(ctx context.Context, m *bus.Msg, head contract.OutputHead) (*Body, error) {
	raw, err := m.Body(ctx)
	if err != nil {
		return nil, err
	}
	b, err := decodeBody(m.Seq, head, m.Header.Get(contract.HeaderMeta), raw)
	if err != nil {
		return nil, m.Unread(err)
	}
	r.chunks.Put(m.Seq, b, b.cost(len(raw)))
	return b, nil
}

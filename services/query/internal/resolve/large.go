package resolve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
	// bodies; of a short one a quarter is.
	lateReserve = 200 * time.Millisecond
)

// flights are the reads of large bodies that are under way, by sequence in CHUNKS. They
// may be used by several at once.
type flights struct {
	life context.Context //nolint:containedctx // a read outlives the question that began it
	end  context.CancelFunc
	turn chan struct{}

	mu     sync.Mutex
	going  map[uint64]*flight
	ground bool // none starts any more
	wg     sync.WaitGroup
}

type flight struct {
	done chan struct{}
	body *Body
	err  error
}

func newFlights() *flights {
	life, end := context.WithCancel(context.Background())
	return &flights{life: life, end: end, turn: make(chan struct{}, largeAtOnce), going: map[uint64]*flight{}}
}

// stop ends the reads, and waits for them.
func (f *flights) stop() {
	f.mu.Lock()
	f.ground = true
	f.mu.Unlock()
	f.end()
	f.wg.Wait()
}

// read returns what load returns for a sequence, which is called once however many ask
// for it meanwhile, and goes on when ctx has ended. ErrLate where ctx has hardly any time
// left by then.
func (f *flights) read(ctx context.Context, seq uint64, load func(context.Context) (*Body, error)) (*Body, error) {
	one := f.join(seq, load)
	if one == nil {
		return nil, ErrLate
	}
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

// join returns the read of a sequence, nil where none starts any more.
func (f *flights) join(seq uint64, load func(context.Context) (*Body, error)) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one, ok := f.going[seq]; ok || f.ground {
		return one
	}
	one := &flight{done: make(chan struct{})}
	f.going[seq] = one
	f.wg.Go(func() {
		defer close(one.done)
		defer func() {
			f.mu.Lock()
			delete(f.going, seq)
			f.mu.Unlock()
		}()
		one.body, one.err = f.load(load)
	})
	return one
}

// load calls load in its turn. A document that breaks it breaks nothing else.
func (f *flights) load(load func(context.Context) (*Body, error)) (b *Body, err error) {
	defer func() {
		if v := recover(); v != nil {
			b, err = nil, fmt.Errorf("reading a large document broke: %v\n%s", v, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(f.life, largeTime)
	defer cancel()
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-f.turn }()
	return load(ctx)
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

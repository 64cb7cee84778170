package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Bus is a connection to the log: it publishes and reads, and follows what heads it
// is asked for. What else there is to do is made of it by who does it, as
// DeadLettersOf, PurgesOf or BuildsOf. It is safe for concurrent use.
type Bus struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	unclean bool // the server's previous run did not stop cleanly
	started bool // the server was started for this Bus: its log may be another copy than before
	note    Note // of what was lost before the start; nil where nobody takes one

	replicas int // servers that each keep the log
	clock    func() time.Time
	log      *slog.Logger // never nil

	enc *zstd.Encoder
	dec *zstd.Decoder

	ctx    context.Context // ends with Close; owns the head tables
	cancel context.CancelFunc
	wg     sync.WaitGroup

	*Heads

	mu      sync.Mutex
	records *Records

	tokens *Tokens
	bodies *bodies
	roles  *roles

	last       lastSeqs
	mending    sync.Once
	makes      atomic.Bool // this process makes the log, and puts it back
	room       Room
	visibility atomic.Pointer[Visibility]
	audit      atomic.Pointer[AuditLimits]

	configured atomic.Pointer[contract.Build] // of this process; nil: it makes none
}

// publishWindow is how many publishes may wait for their PubAck at once.
const publishWindow = 4096

// Connect returns a Bus for a NATS server with JetStream that lets everybody
// in. The errors are those of Remote.Connect.
func Connect(ctx context.Context, url string, opts ...nats.Option) (*Bus, error) {
	return Remote{URL: url}.Connect(ctx, opts...)
}

// lasting are the options of a connection that is not given up. A login that
// is refused may be one that the server is just being taught.
func lasting(log *slog.Logger) []nats.Option {
	return []nats.Option{
		nats.Name("freshet"),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.Timeout(5 * time.Second),
		nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(complaints(log)),
	}
}

// apiPatience is how long the log may take to answer who sets no deadline. A machine
// that is short of processor or disk needs more than the library's five seconds,
// and giving up ends a start.
const apiPatience = 30 * time.Second

func newBus(nc *nats.Conn, replicas int, log *slog.Logger) (*Bus, error) {
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(publishWindow), jetstream.WithPublishAsyncTimeout(60*time.Second), jetstream.WithDefaultTimeout(apiPatience))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithLowerEncoderMem(true))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open zstd: %w", err)
	}
	dec, err := newDecoder(maxBody)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open zstd: %w", err)
	}
	bctx, cancel := context.WithCancel(context.Background())
	b := &Bus{nc: nc, js: js, log: log, replicas: max(replicas, 1), clock: time.Now, enc: enc, dec: dec, ctx: bctx, cancel: cancel}
	b.Heads = &Heads{bus: b, outputs: map[string]*Table[OutputKey, contract.OutputHead]{}}
	b.tokens, b.bodies, b.roles = &Tokens{bus: b}, &bodies{bus: b}, &roles{bus: b}
	return b, nil
}

// Now is the wall clock that the log's times and epochs are taken from. It may
// be set back at any moment: nothing may be ordered by it.
func (b *Bus) Now() time.Time { return b.clock() }

// newDecoder returns what unpacks bodies of at most limit bytes.
func newDecoder(limit uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithDecoderMaxMemory(limit), zstd.WithDecoderLowmem(true))
}

// complaints logs what goes wrong beside a call. A full queue of nudges is no
// trouble: their durable deliveries follow. Nor is it where a user must not
// delete consumers: the server does so itself after a while.
func complaints(log *slog.Logger) nats.ErrHandler {
	return func(_ *nats.Conn, sub *nats.Subscription, err error) {
		switch {
		case errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+deleteConsumer):
		case sub == nil:
			log.Warn("connection to the log", "error", err)
		case !errors.Is(err, nats.ErrSlowConsumer) || !strings.HasPrefix(sub.Subject, nudgePrefix):
			log.Warn("connection to the log", "subject", sub.Subject, "error", err)
		}
	}
}

// complain logs what a goroutine of the Bus could not do, and tries again.
func (b *Bus) complain(err error) { b.log.Warn("connection to the log", "error", err) }

// orSilent is a logger, or one that nobody hears.
func orSilent(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// Conn is the underlying connection; it stays the Bus's.
func (b *Bus) Conn() *nats.Conn { return b.nc }

// Log is told what goes wrong beside the calls.
func (b *Bus) Log() *slog.Logger { return b.log }

// Tokens makes and reads tokens.
func (b *Bus) Tokens() *Tokens { return b.tokens }

// JetStream is the underlying context.
func (b *Bus) JetStream() jetstream.JetStream { return b.js }

// closePatience is how long the head tables may take to end while the
// connection is there.
const closePatience = 500 * time.Millisecond

// Close ends the head tables and the connection. Workers must have ended.
func (b *Bus) Close() {
	b.cancel()
	// A table that makes its consumer again may wait ten seconds for an answer
	// that a lost connection took along. Without a connection it stops waiting.
	hurry := time.AfterFunc(closePatience, b.nc.Close)
	b.wg.Wait()
	hurry.Stop()
	b.nc.Close()
	b.dec.Close()
}

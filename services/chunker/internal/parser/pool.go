package parser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
	"github.com/freshet-dev/freshet/services/chunker/internal/syntax"
)

// Config says how children are run and limited.
type Config struct {
	// Command starts a child, which calls Serve. Empty: this executable with
	// the argument "parser-child".
	Command []string
	// Children is the most processes, each with one request at a time.
	Children int
	// Timeout is the limit of one document; TimeoutPerMiB is added for each
	// MiB of content.
	Timeout, TimeoutPerMiB time.Duration
	// Memory is the limit of a child's resident memory in bytes.
	Memory int64
	// Options are the sizes of passages.
	Options split.Options
}

// Argument is what the executable is called with to become a child.
const Argument = "parser-child"

// Pool hands documents to children. It is safe for concurrent use. Children
// are started when they are first needed.
type Pool struct {
	cfg      Config
	slots    chan *process // one entry a child; nil: not running
	spare    chan *process // the same, for those that step in where one hangs
	spawner  sync.Once
	starts   chan startRequest
	spawned  sync.WaitGroup // the starting goroutine
	restarts atomic.Uint64

	mu      sync.Mutex
	running []*process
	failed  string // why the last start failed
}

type startRequest struct {
	done chan<- started
}

type started struct {
	process *process
	err     error
}

// NewPool returns a Pool, which Close ends. The error is for an executable
// that cannot be found.
func NewPool(cfg Config) (*Pool, error) {
	if len(cfg.Command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the executable of the parser: %w", err)
		}
		cfg.Command = []string{self, Argument}
	}
	cfg.Options.SetDefaults()
	regular := min(cfg.Children, max(1, runtime.GOMAXPROCS(0)/2))
	p := &Pool{
		cfg: cfg, starts: make(chan startRequest),
		slots: make(chan *process, regular), spare: make(chan *process, cfg.Children-regular),
	}
	for range cap(p.slots) {
		p.slots <- nil
	}
	for range cap(p.spare) {
		p.spare <- nil
	}
	return p, nil
}

// spawn starts children on one thread, which lives as long as the pool: on
// Linux a child is killed when the thread that started it ends.
func (p *Pool) spawn() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for req := range p.starts {
		child, err := start(p.cfg.Command, p.cfg.Memory)
		req.done <- started{child, err}
	}
}

// Close stops the children. Calls of Split have to be over.
func (p *Pool) Close() {
	for _, slots := range []chan *process{p.slots, p.spare} {
		for range cap(slots) {
			if child := <-slots; child != nil {
				p.forget(child)
			}
		}
	}
	close(p.starts)
	p.spawned.Wait()
}

// PIDs are the process ids of the children that run now.
func (p *Pool) PIDs() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]int, 0, len(p.running))
	for _, child := range p.running {
		out = append(out, child.cmd.Process.Pid)
	}
	return out
}

// Restarts counts children that died or were stopped at a limit.
func (p *Pool) Restarts() uint64 { return p.restarts.Load() }

// Memory is the resident memory of all children in bytes.
func (p *Pool) Memory() uint64 {
	var sum uint64
	for _, pid := range p.PIDs() {
		if n, ok := resident(pid); ok {
			sum += uint64(n)
		}
	}
	return sum
}

// Degraded says why children cannot be started; empty while they can.
func (p *Pool) Degraded() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// Split cuts a content of a supported language into passages of the sizes of opt. When the parser fails, the
// content is cut by indentation and the reason stands on each span. The error
// is the context's, or the pool's that is closed.
func (p *Pool) Split(ctx context.Context, language string, content []byte, opt split.Options) ([]document.Span, error) {
	rep, err := p.parse(ctx, request{Language: language, Options: opt}, content, func(rep reply) error {
		return split.Verify(content, rep.Spans, true)
	})
	if err == nil {
		return rep.Spans, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("wait for the parser: %w", ctx.Err())
	}
	return split.Fallback(language, content, opt, reason(err)), nil
}

// Definitions lists the functions of a content of a supported language. When the
// parser fails there are none, and why says the reason. The error is the
// context's.
func (p *Pool) Definitions(ctx context.Context, language string, content []byte) (list []syntax.Definition, why string, err error) {
	rep, err := p.parse(ctx, request{Language: language, Definitions: true}, content, func(rep reply) error {
		return syntax.CheckDefinitions(content, rep.Definitions)
	})
	if err == nil {
		return rep.Definitions, "", nil
	}
	if ctx.Err() != nil {
		return nil, "", fmt.Errorf("wait for the parser: %w", ctx.Err())
	}
	return nil, reason(err), nil
}

// parse asks a child and checks its reply; one that died by itself may have been
// killed from outside, so that the document gets a second try.
func (p *Pool) parse(ctx context.Context, req request, content []byte, check func(reply) error) (reply, error) {
	return p.parseWithin(ctx, req, content, 0, check)
}

// parseWithin is parse with the time that a document may take in any case.
func (p *Pool) parseWithin(ctx context.Context, req request, content []byte, least time.Duration, check func(reply) error) (reply, error) {
	head, err := encode(req)
	if err != nil {
		return reply{}, err
	}
	if len(content) > frameLimit {
		return reply{}, errFrame
	}
	child, slots, err := p.take(ctx)
	if err != nil {
		return reply{}, err
	}
	defer func() { slots <- child }()
	for try := 0; ; try++ {
		if child == nil {
			if child, err = p.begin(); err != nil {
				return reply{}, err
			}
		}
		allowed := max(least, p.cfg.Timeout+p.cfg.TimeoutPerMiB*time.Duration(len(content)>>20))
		rep, err := child.split(ctx, head, content, limits{deadline: time.Now().Add(allowed), memory: p.cfg.Memory})
		if err == nil {
			if rep.Error != "" {
				return reply{}, errors.New(rep.Error) // no fault of the child's
			}
			if err = check(rep); err == nil {
				if len(content) > bulky && p.swollen(child) {
					p.forget(child)
					child = nil
				}
				return rep, nil
			}
			err = fmt.Errorf("%w: %w", errDied, err)
		}
		p.forget(child)
		child = nil
		p.restarts.Add(1)
		if !errors.Is(err, errDied) || try > 0 {
			return reply{}, err
		}
	}
}

// patience is how long a document waits before a spare child is used: longer
// than nearly every document takes.
const patience = 50 * time.Millisecond

// take waits for a child, and returns where it has to be put back. Half of the
// processors parse; a further child would take time from the stages that
// follow, which are the longer part, and is there for the case that another
// one hangs.
func (p *Pool) take(ctx context.Context) (*process, chan *process, error) {
	select {
	case child := <-p.slots:
		return child, p.slots, nil
	default:
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case child := <-p.slots:
		return child, p.slots, nil
	case <-wait.C:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	select {
	case child := <-p.slots:
		return child, p.slots, nil
	case child := <-p.spare:
		return child, p.spare, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// bulky is the size of a content in bytes after which a child is looked at.
const bulky = 128 << 10

// swollen reports whether a child keeps so much memory of a document that the
// next one might be blamed for it, or that it would be missed elsewhere.
func (p *Pool) swollen(child *process) bool {
	n, ok := resident(child.cmd.Process.Pid)
	return ok && n > p.cfg.Memory/4
}

func (p *Pool) begin() (*process, error) {
	p.spawner.Do(func() { p.spawned.Go(p.spawn) })
	done := make(chan started, 1)
	p.starts <- startRequest{done}
	got := <-done
	p.mu.Lock()
	defer p.mu.Unlock()
	if got.err != nil {
		p.failed = fmt.Sprintf("the parser does not start, code is split by indentation: %v", got.err)
		return nil, fmt.Errorf("start parser: %w", got.err)
	}
	p.failed = ""
	p.running = append(p.running, got.process)
	return got.process, nil
}

// forget stops a child.
func (p *Pool) forget(child *process) {
	p.mu.Lock()
	p.running = slices.DeleteFunc(p.running, func(c *process) bool { return c == child })
	p.mu.Unlock()
	child.stop()
}

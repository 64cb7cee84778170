package watcher

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

const (
	// batchMessages and batchBytes bound one call of Publish; batchCalls of
	// them run at once, so that hundreds of publishes are outstanding.
	batchMessages = 128
	batchBytes    = 1 << 20
	batchCalls    = 4
	// liveMax is the number of changes up to which a comparison counts as
	// live; more are a bulk load, which must not crowd the reserved workers.
	liveMax      = 500
	liveMaxBytes = 4 << 20
	// conflictTries bounds how often a document is compared again because
	// somebody else wrote it.
	conflictTries = 5
)

// job is one version on its way to the log. Its document is claimed.
type job struct {
	candidate scan.Candidate
	head      contract.FileHead
	content   []byte
	weight    int64
	expect    document.Version
	release   func()
	rules     *rulesJob // of the file of rules alone
}

// pipe publishes the differences that a comparison finds. While everything may
// still be a few live changes, jobs are held back; then they leave in batches.
type pipe struct {
	asked context.Context // of who waits for the comparison
	ctx   context.Context // of what is written: it outlives who waits
	end   context.CancelFunc
	to    *comparer
	truth origin.Truth

	mu      sync.Mutex
	live    bool // still few enough changes
	jobs    []job
	bytes   int64
	parked  int // goroutines of this comparison that wait for others
	sending int
	slots   chan struct{}
	wg      sync.WaitGroup

	err     error
	changed int
	highest document.Version
}

func newPipe(ctx context.Context, c *comparer, t origin.Truth, live bool) *pipe {
	p := &pipe{asked: ctx, ctx: ctx, end: func() {}, to: c, truth: t, live: live, slots: make(chan struct{}, batchCalls)}
	if c.life.ctx != nil {
		var cancel context.CancelFunc
		p.ctx, cancel = context.WithCancel(context.WithoutCancel(ctx))
		stop := context.AfterFunc(c.life.ctx, func() { time.AfterFunc(lastAcks, cancel) })
		p.end = func() { stop(); cancel() }
	}
	return p
}

// lastAcks is how long a source that is stopped waits for the log to take what
// is on its way: else that could arrive behind its removal.
const lastAcks = 5 * time.Second

// close ends the pipe after its last flush. Where nobody waits for the
// comparison any more, what is on its way to the log keeps its claims until it
// has got there: else the next comparison would be with what was there before.
func (p *pipe) close() {
	finish := func() {
		p.wg.Wait()
		p.end()
	}
	if p.asked.Err() == nil {
		finish()
		return
	}
	leave, err := p.to.life.begin()
	if err != nil {
		finish() // the source is stopped, and waits for this
		return
	}
	go func() {
		defer leave()
		finish()
	}()
}

// add takes over a job, with its claim and its share of the budget.
func (p *pipe) add(j job) {
	p.mu.Lock()
	p.jobs = append(p.jobs, j)
	p.bytes += j.weight
	if p.live && (p.changed+len(p.jobs) > liveMax || p.bytes > liveMaxBytes) {
		p.live = false
	}
	full := !p.live && (len(p.jobs) >= batchMessages || p.bytes >= batchBytes)
	if !full && (p.parked == 0 || p.sending > 0) {
		p.mu.Unlock()
		return
	}
	p.sendLocked()
}

// park says that the caller is about to wait for something that another
// comparison, or this one's own outstanding jobs, must let go. Nothing may
// be held back meanwhile, else two comparisons could wait for each other.
func (p *pipe) park() (done func()) {
	p.mu.Lock()
	p.parked++
	p.sendLocked()
	return func() {
		p.mu.Lock()
		p.parked--
		p.mu.Unlock()
	}
}

// sendLocked sends what is held back; it unlocks.
func (p *pipe) sendLocked() {
	batch, live := p.takeLocked(), p.live
	if len(batch) == 0 {
		p.mu.Unlock()
		return
	}
	p.sending++
	p.wg.Go(func() {
		for len(batch) > 0 {
			p.publish(batch, live)
			p.mu.Lock()
			batch, live = nil, p.live
			if p.parked > 0 {
				batch = p.takeLocked()
			}
			if len(batch) == 0 {
				p.sending--
			}
			p.mu.Unlock()
		}
	})
	p.mu.Unlock()
}

func (p *pipe) takeLocked() []job {
	batch := p.jobs
	p.jobs, p.bytes = nil, 0
	return batch
}

// flush sends everything and waits for the outcome, as long as somebody waits
// for the comparison. No add may be under way.
func (p *pipe) flush() error {
	p.mu.Lock()
	p.sendLocked()
	sent := make(chan struct{})
	go func() {
		p.wg.Wait()
		close(sent)
	}()
	select {
	case <-sent:
	case <-p.asked.Done():
		return p.asked.Err()
	}
	return p.failed()
}

// written returns how many versions were written, and the highest of them.
func (p *pipe) written() (changed int, highest document.Version) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed, p.highest
}

// failed returns the first error of a publish.
func (p *pipe) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *pipe) publish(batch []job, live bool) {
	outs := make([]bus.Out, len(batch))
	now := p.to.svc.bus.Now()
	for i := range batch {
		h := &batch[i].head
		h.Time, h.Live, h.First = now, live, batch[i].expect == 0
		outs[i] = bus.Out{
			Subject: contract.FileSubject(h.Source, h.Doc, h.View), Header: h.Header(),
			Body: batch[i].content, Expect: uint64(batch[i].expect),
		}
	}
	p.slots <- struct{}{}
	acks := p.to.svc.bus.Publish(p.ctx, outs...)
	<-p.slots // before a conflict is resolved, which may wait for others
	for i, ack := range acks {
		j := &batch[i]
		seq, err := ack.Seq, ack.Err
		if errors.Is(err, bus.ErrConflict) {
			seq, err = p.resolve(j)
		}
		p.settle(j, outs[i].Subject, seq, err)
	}
}

// settle ends a job. A sequence of 0 without an error means that there was
// nothing to write after all.
func (p *pipe) settle(j *job, subject string, seq uint64, err error) {
	if err == nil && seq > 0 {
		j.head.Version = document.Version(seq)
		p.to.svc.ledger.note(j.head)
		if j.head.Op == contract.OpDelete {
			p.to.origin.Memory.Forget(j.head.Path)
		}
		p.to.room.arrived(bus.FileKey{Source: j.head.Source, Doc: j.head.Doc, View: j.head.View}, j.head.Version)
		p.to.svc.count(j.head)
		p.to.svc.tell(p.ctx, j.head)
		if g, ok := p.truth.(*given); ok {
			g.wrote(j.head)
		}
		if j.head.Live {
			p.to.svc.bus.Nudge(contract.StageChunker, subject, seq)
		}
	}
	if err != nil {
		p.to.svc.ledger.doubt(bus.FileKey{Source: j.head.Source, Doc: j.head.Doc, View: j.head.View})
	}
	p.to.origin.Budget.Give(j.weight)
	j.content = nil
	j.release()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		if p.err == nil {
			p.err = err
		}
		return
	}
	if seq > 0 {
		p.changed++
		p.highest = max(p.highest, document.Version(seq))
	}
}

// resolve handles a lost compare-and-swap: it reads the head. Our own content
// there means that an earlier attempt got through; else the document is
// compared again with what is there now.
func (p *pipe) resolve(j *job) (seq uint64, err error) {
	key := bus.FileKey{Source: j.head.Source, Doc: j.head.Doc, View: j.head.View}
	subject := contract.FileSubject(key.Source, key.Doc, key.View)
	for range conflictTries {
		known, err := p.to.svc.readHead(p.ctx, subject)
		if err != nil {
			return 0, err
		}
		if known.Version == 0 {
			p.to.svc.ledger.forget(key)
		} else {
			p.to.svc.ledger.note(known)
		}
		if same(known, j.head) {
			j.head = known
			return uint64(known.Version), nil
		}
		p.to.origin.Budget.Give(j.weight)
		j.weight, j.content = 0, nil
		c := j.candidate
		c.Walked = false
		f, err := p.truth.Look(p.ctx, c, p.to.svc.cuts.asRead(known), p.park)
		if err != nil {
			return 0, err
		}
		if f.Kind == scan.Unstable {
			p.to.retries.add([]string{c.Raw})
		}
		if !p.to.svc.cuts.rewrite(j, f, known) {
			return 0, nil
		}
		j.head.Time, j.head.First = p.to.svc.bus.Now(), j.expect == 0
		ack := p.to.svc.bus.Publish(p.ctx, bus.Out{
			Subject: subject, Header: j.head.Header(), Body: j.content, Expect: uint64(j.expect),
		})[0]
		if !errors.Is(ack.Err, bus.ErrConflict) {
			return ack.Seq, ack.Err
		}
	}
	return 0, fmt.Errorf("write %s of %s: another writer keeps changing it in the log: is a second watcher running?", j.head.Path, j.head.Source)
}

// same reports whether two heads say the same of a document.
func same(a, b contract.FileHead) bool {
	return a.Op == b.Op && a.Hash == b.Hash && a.Reason == b.Reason && a.Collection == b.Collection && a.Format == b.Format && a.Grammar == b.Grammar && a.Metadata == b.Metadata && a.Access == b.Access
}

package vulture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Settle waits until the deployment has nothing left to do, asks once more
// for everything that is there and for what is gone, and has the stores
// compared with the log. Where ctx ends before the log agrees, that is a
// violation and no error. Interruptions must be over.
func (v *Vulture) Settle(ctx context.Context) error {
	v.judge.atRest.Store(true)
	if !v.agree(ctx) {
		return nil
	}
	if v.cfg.AtRest != nil {
		if err := v.cfg.AtRest(ctx); err != nil {
			return err
		}
	}
	if err := v.askAll(ctx); err != nil {
		return err
	}
	if err := v.kept.checkTold(ctx); err != nil {
		return err
	}
	if err := v.checkLeases(ctx); err != nil {
		return err
	}
	return v.stores.run(ctx)
}

// checkLeases asks what has become of what the readers hold, now that nothing changes
// any more.
func (v *Vulture) checkLeases(ctx context.Context) error {
	for _, r := range v.readers {
		if r.lease == nil || r.lease.id == "" {
			continue
		}
		var a answer
		_ = insist(ctx, func() (err error) {
			q := question{class: askLatest, latest: true, deadline: restDeadline, lease: r.lease}
			if a, err = v.askDoor(ctx, q, checkOf(q, true, restDeadline)); err == nil {
				err = a.err
			}
			return err
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := v.judge.judge(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

const (
	// overlooked is how long a write may go unseen before the sources are
	// compared: the system may tell nothing of it, and a regular comparison
	// comes minutes later.
	overlooked = 10 * time.Second
	// agreeWithin is how long the log may take after that. It is far above what
	// a comparison takes, and keeps what is missed for ever from being waited for.
	agreeWithin = 2 * time.Minute
)

// agree waits until the log holds the last state of every path. What the
// watching missed has to be found by a comparison; how much that was is counted.
func (v *Vulture) agree(ctx context.Context) bool {
	wait, cancel := context.WithTimeout(ctx, overlooked)
	behind := v.awaitLog(wait)
	cancel()
	if len(behind) == 0 {
		return true
	}
	v.judge.count(func(r *Report) { r.Overlooked += len(behind) })
	wait, cancel = context.WithTimeout(ctx, agreeWithin)
	defer cancel()
	if _, err := client.Announce.Ask(wait, v.bus.Conn(), contract.Announce{}); err != nil {
		v.cfg.Log.Info("comparison failed", "error", err)
	}
	behind = v.awaitLog(wait)
	for _, f := range behind {
		v.judge.add(Violation{Kind: Unseen, Source: f.at.source, Path: f.at.path, At: time.Now(),
			Expected: fmt.Sprintf("its last state in the log: %s", contentName(f.content)),
			Seen:     fmt.Sprintf("version %d (%s %.12s)", f.latest.seq, f.latest.op, f.latest.hash)})
	}
	return len(behind) == 0
}

// awaitLog returns what the log does not hold the last state of when ctx ends;
// nothing as soon as it holds all.
func (v *Vulture) awaitLog(ctx context.Context) (behind []final) {
	for {
		finals, changed := v.world.finals()
		behind = behind[:0]
		for _, f := range finals {
			if !f.agreed() {
				behind = append(behind, f)
			}
		}
		if len(behind) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return behind
		}
	}
}

func contentName(content []byte) string {
	if content == nil {
		return "deleted"
	}
	return fmt.Sprintf("%d bytes %.12s", len(content), document.HashOf(content))
}

const (
	maxGone = 200 // words that are gone and asked for at rest
	// patience is how many answers at the deadline are enough to know that
	// there is no rest.
	patience = 5
	// restDeadline is what a question allows at rest, where it tells whether
	// there is an answer at all: a busy machine may be slow.
	restDeadline = 30 * time.Second
)

// askAll asks for each word that is there, and for some that are gone.
func (v *Vulture) askAll(ctx context.Context) error {
	finals, _ := v.world.finals()
	var questions []question
	v.judge.count(func(r *Report) { r.Files = 0 })
	for _, f := range finals {
		if f.content == nil {
			continue
		}
		v.judge.count(func(r *Report) { r.Files++ })
		for _, word := range uniqueWord.FindAllString(string(f.content), -1) {
			if n := len(questions); n == 0 || questions[n-1].word != word {
				questions = append(questions, question{class: askLatest, word: word, at: f.at, latest: true, deadline: restDeadline})
			}
		}
	}
	gone := 0
	for word := range v.world.goneWords() {
		if gone++; gone > maxGone {
			break
		}
		questions = append(questions, question{class: askOld, word: word, deadline: restDeadline})
	}
	// The log agrees by now: whatever was acknowledged or seen is the floor.
	v.world.raise(v.bus.Files().Seen())
	v.judge.count(func(r *Report) { r.Words = 0 })
	var slow atomic.Int32
	asking, actx := errgroup.WithContext(ctx)
	asking.SetLimit(v.cfg.Readers)
	for i, q := range questions {
		if slow.Load() >= patience {
			break
		}
		asking.Go(func() error {
			var a answer
			_ = insist(actx, func() (err error) {
				if a, err = v.ask(actx, q); err == nil {
					err = a.err // which is judged
				}
				return err
			})
			if actx.Err() != nil {
				return actx.Err()
			}
			if a.arrived.Sub(a.sent) >= restDeadline/2 {
				slow.Add(1)
			}
			v.judge.count(func(r *Report) { r.Words++ })
			if err := v.judge.judge(actx, a); err != nil || i%linesShare > 0 {
				return err
			}
			_ = insist(actx, func() (err error) {
				if a, err = v.askLines(actx, q, drawLines(rand.New(rand.NewPCG(v.cfg.Seed, uint64(i))), q, v.sources)); err == nil {
					err = a.err
				}
				return err
			})
			if actx.Err() != nil {
				return actx.Err()
			}
			return v.judge.judge(actx, a)
		})
	}
	return asking.Wait()
}

package vulture

import (
	"context"
	"fmt"
	"time"

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
	if err := v.askAll(ctx); err != nil {
		return err
	}
	return v.compare(ctx)
}

// agree waits until the log holds the last state of every path.
func (v *Vulture) agree(ctx context.Context) bool {
	for {
		finals, changed := v.world.finals()
		var behind []final
		for _, f := range finals {
			if !f.agreed() {
				behind = append(behind, f)
			}
		}
		if len(behind) == 0 {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			for _, f := range behind {
				v.judge.add(Violation{Kind: Unseen, Source: f.at.source, Path: f.at.path, At: time.Now(),
					Expected: fmt.Sprintf("its last state in the log: %s", contentName(f.content)),
					Seen:     fmt.Sprintf("version %d (%s %.12s)", f.latest.seq, f.latest.op, f.latest.hash)})
			}
			return false
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
				questions = append(questions, question{class: askLatest, word: word, at: f.at, latest: true})
			}
		}
	}
	gone := 0
	for word := range v.world.goneWords() {
		if gone++; gone > maxGone {
			break
		}
		questions = append(questions, question{class: askOld, word: word})
	}
	// The log agrees by now: whatever was acknowledged or seen is the floor.
	v.world.raise(v.bus.Files().Seen())
	slow := 0
	for i, q := range questions {
		a, err := v.ask(ctx, q)
		if err != nil {
			return err
		}
		if err := v.judge.judge(ctx, a); err != nil {
			return err
		}
		v.judge.count(func(r *Report) { r.Words = i + 1 })
		if a.arrived.Sub(a.sent) >= v.cfg.Deadline/2 {
			if slow++; slow == patience {
				break
			}
		}
	}
	return nil
}

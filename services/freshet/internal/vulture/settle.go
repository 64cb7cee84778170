package vulture

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Settle waits until the deployment has nothing left to do, asks once more
// for everything that is there and for what is gone, and has the stores
// compared with the log. Where ctx ends before rest, that is a violation and
// no error. Interruptions must be over.
func (v *Vulture) Settle(ctx context.Context) error {
	v.judge.atRest = true
	if !v.agree(ctx) {
		return nil
	}
	if err := v.askAll(ctx); err != nil {
		return err
	}
	if err := v.drained(ctx); err != nil {
		return err
	}
	swept, err := v.swept(ctx)
	if err != nil {
		return err
	}
	repaired := swept - v.sweptBefore
	v.judge.count(func(r *Report) { r.Repaired = repaired })
	if repaired > 0 && !v.cfg.Interrupted {
		v.judge.add(Violation{Kind: Orphan, At: time.Now(), Expected: "stores that hold what INDEXED lists and nothing else",
			Seen: fmt.Sprintf("%d chunks that were removed only because a query had met them", repaired)})
	}
	return v.sweep(ctx)
}

// swept is how many chunks the indexers have removed, since they started, that
// nobody listed.
func (v *Vulture) swept(ctx context.Context) (uint64, error) {
	st, err := bus.Call[struct{}, contract.StatusReply](ctx, v.bus.Conn(), contract.SubjectStatus, struct{}{})
	if err != nil {
		return 0, err
	}
	sum := uint64(0)
	for _, r := range st.Reports {
		for name, n := range r.Counters {
			if r.Service == "indexer" && strings.HasSuffix(name, "_swept") {
				sum += n
			}
		}
	}
	return sum, nil
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
				v.judge.add(Violation{Kind: Unseen, Path: f.path, At: time.Now(),
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

// maxGone is how many words that are gone are asked for at rest.
const maxGone = 200

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
				questions = append(questions, question{class: askLatest, word: word, path: f.path, latest: true})
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
	for _, q := range questions {
		a, err := v.ask(ctx, q)
		if err != nil {
			return err
		}
		if err := v.judge.judge(ctx, a); err != nil {
			return err
		}
	}
	v.judge.count(func(r *Report) { r.Words += len(questions) })
	return nil
}

// drained waits until no worker has a message at hand or before it. Settled
// documents are not enough: a worker may still delete what it replaced.
func (v *Vulture) drained(ctx context.Context) error {
	for {
		open := uint64(0)
		for _, stream := range []string{contract.StreamFiles, contract.StreamChunks, contract.StreamVectors} {
			s, err := v.bus.JetStream().Stream(ctx, stream)
			if err != nil {
				return fmt.Errorf("open stream %s: %w", stream, err)
			}
			list := s.ListConsumers(ctx)
			for info := range list.Info() {
				if info.Config.AckPolicy != jetstream.AckNonePolicy {
					open += info.NumPending + uint64(info.NumAckPending)
				}
			}
			if err := list.Err(); err != nil {
				return fmt.Errorf("list the consumers of %s: %w", stream, err)
			}
		}
		if open == 0 {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sweep has the stores compared with INDEXED. A run without interruptions
// leaves nothing behind, and one sweep is enough after any.
func (v *Vulture) sweep(ctx context.Context) error {
	for round := range 2 {
		r, err := bus.Call[struct{}, contract.SweepReply](ctx, v.bus.Conn(), contract.SubjectSweep, struct{}{})
		if err != nil {
			return err
		}
		if round == 0 {
			v.judge.count(func(rep *Report) { rep.Swept = r })
		}
		if v.cfg.Interrupted && round == 0 {
			continue
		}
		if r.Removed > 0 {
			v.judge.add(Violation{Kind: Orphan, At: time.Now(), Expected: "stores that hold what INDEXED lists and nothing else",
				Seen: fmt.Sprintf("sweep %d removed %d of %d chunks", round+1, r.Removed, r.Compared)})
		}
		if r.Restored > 0 {
			v.judge.add(Violation{Kind: Lost, At: time.Now(), Expected: "stores that hold everything that INDEXED lists",
				Seen: fmt.Sprintf("sweep %d restored %d chunks", round+1, r.Restored)})
		}
	}
	return nil
}

// result returns the report with everything that is computed at the end.
func (j *judge) result() Report {
	j.world.mu.Lock()
	noticed := quantiles(j.world.delays)
	j.world.mu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.report
	r.Wait, r.Noticed = quantiles(j.waits), noticed
	r.violations = append([]Violation(nil), r.violations...)
	if !r.Interrupted && r.FreshShare() < freshShare {
		r.violations = append(r.violations, Violation{Kind: Unfresh, Seed: r.Seed, At: time.Now(),
			Expected: fmt.Sprintf("%.1f %% of the answers with a token within %s", 100*freshShare, freshWithin),
			Seen:     fmt.Sprintf("%d of %d, %s", r.Fresh, r.WithToken, r.Wait)})
	}
	return r
}

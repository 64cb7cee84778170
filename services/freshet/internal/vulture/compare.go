package vulture

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// compare holds the stores against the log, id by id. It is the one place
// where the whole deployment is compared.
func (v *Vulture) compare(ctx context.Context) error {
	rest, err := v.drained(ctx)
	if err != nil {
		return err
	}
	swept, indexers, err := v.swept(ctx)
	if err != nil {
		return err
	}
	if swept > v.sweptBefore { // else an indexer started anew
		v.judge.count(func(r *Report) { r.Repaired = swept - v.sweptBefore })
		// Of several indexers, one may remove what another is about to: it knows
		// only of its own batches.
		if rest && !v.cfg.Interrupted && indexers == 1 {
			v.orphans("%d chunks that were removed only because a query had met them", swept-v.sweptBefore)
		}
	}
	if err := v.sweep(ctx, rest); err != nil {
		return err
	}
	return v.verify(ctx)
}

// verify has the sources, the log and the stores compared one by one.
func (v *Vulture) verify(ctx context.Context) error {
	for _, source := range v.sources {
		err := bus.CallStream(ctx, v.bus.Conn(), contract.SubjectVerify, contract.VerifyRequest{Source: source}, func(p contract.VerifyPart) error {
			if d := p.Difference; d != nil {
				v.judge.add(Violation{Kind: Unequal, Source: d.Source, Path: d.Path, At: time.Now(), Expected: "sources, log and stores that are equal",
					Seen: fmt.Sprintf("%s %s in %s %s: %s", d.What, d.Doc, d.Stage, d.Sink, d.Detail)})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("verify %s: %w", source, err)
		}
	}
	return nil
}

// sweep has the stores compared with INDEXED. A run without interruptions
// leaves nothing behind, and after any run one sweep is enough. Where others
// write all the time, the parts of the log are not of one moment, and what is
// removed says nothing.
func (v *Vulture) sweep(ctx context.Context, rest bool) error {
	for round := range 2 {
		r, err := bus.Call[struct{}, contract.SweepReply](ctx, v.bus.Conn(), contract.SubjectSweep, struct{}{})
		if err != nil {
			return err
		}
		if round == 0 {
			v.judge.count(func(rep *Report) { rep.Swept, rep.Rested = r, true })
		}
		if forgiven := v.cfg.Interrupted && round == 0; r.Removed > 0 && rest && !forgiven {
			v.orphans("sweep %d removed %d of %d chunks", round+1, r.Removed, r.Compared)
		}
		if r.Restored > 0 {
			v.judge.add(Violation{Kind: Lost, At: time.Now(), Expected: "stores that hold everything that INDEXED lists",
				Seen: fmt.Sprintf("sweep %d restored %d chunks", round+1, r.Restored)})
		}
	}
	return nil
}

func (v *Vulture) orphans(seen string, args ...any) {
	v.judge.add(Violation{Kind: Orphan, At: time.Now(), Expected: "stores that hold what INDEXED lists and nothing else",
		Seen: fmt.Sprintf(seen, args...)})
}

// swept is how many chunks the indexers have removed, since they started, that
// nobody listed, and how many indexers there are.
func (v *Vulture) swept(ctx context.Context) (sum uint64, indexers int, err error) {
	st, err := bus.Call[struct{}, contract.StatusReply](ctx, v.bus.Conn(), contract.SubjectStatus, struct{}{})
	if err != nil {
		return 0, 0, err
	}
	for _, r := range st.Reports {
		if r.Service == "indexer" {
			indexers++
		}
		for name, n := range r.Counters {
			if r.Service == "indexer" && strings.HasSuffix(name, "_swept") {
				sum += n
			}
		}
	}
	return sum, indexers, nil
}

// restWithin is how long no worker is waited for to have anything at hand.
// Others may write all the time.
const restWithin = 30 * time.Second

// drained waits until no worker has a message at hand or before it. Settled
// documents are not enough: a worker may still delete what it replaced. It is
// false where that did not come about.
func (v *Vulture) drained(ctx context.Context) (bool, error) {
	for until := time.Now().Add(restWithin); time.Now().Before(until); {
		open := uint64(0)
		for _, stream := range []string{contract.StreamFiles, contract.StreamChunks, contract.StreamVectors} {
			s, err := v.bus.JetStream().Stream(ctx, stream)
			if err != nil {
				return false, fmt.Errorf("open stream %s: %w", stream, err)
			}
			list := s.ListConsumers(ctx)
			for info := range list.Info() {
				if info.Config.AckPolicy != jetstream.AckNonePolicy {
					open += info.NumPending + uint64(info.NumAckPending)
				}
			}
			if err := list.Err(); err != nil {
				return false, fmt.Errorf("list the consumers of %s: %w", stream, err)
			}
		}
		if open == 0 {
			return true, nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return false, nil
}

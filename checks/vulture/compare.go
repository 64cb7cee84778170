package vulture

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
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
	if rest {
		v.purged(ctx)
	}
	return v.verify(ctx)
}

// purged waits until the log holds no deletion of the sources any more: every
// stage is done with them.
func (v *Vulture) purged(ctx context.Context) {
	var left []document.Path
	for until := time.Now().Add(restWithin); time.Now().Before(until) && ctx.Err() == nil; {
		left = v.deletions()
		if len(left) == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	if ctx.Err() == nil {
		v.judge.add(Violation{Kind: Unequal, Path: left[0], At: time.Now(), Expected: "a log without the documents that were deleted",
			Seen: fmt.Sprintf("%d deletions, that of %s among them", len(left), left[0])})
	}
}

// verify has the sources, the log and the stores compared one by one.
func (v *Vulture) verify(ctx context.Context) error {
	for _, source := range v.sources {
		err := client.Verify.Each(ctx, v.bus.Conn(), contract.VerifyRequest{Source: source}, func(p contract.VerifyPart) error {
			if d := p.Difference; d != nil {
				v.judge.add(Violation{Kind: Unequal, Source: d.Source, Path: d.Path, At: time.Now(), Expected: "sources, log and stores that are equal",
					Seen: fmt.Sprintf("%s %s in %s %s: %s", d.What, d.Doc, d.Stage, d.Sink, d.Detail)})
			}
			if s := p.Summary; s != nil && s.Outcome == contract.OutcomeIncomplete {
				v.judge.add(Violation{Kind: Unequal, Source: source, At: time.Now(), Expected: "sources, log and stores that are compared as a whole",
					Seen: fmt.Sprintf("not compared: %s %+v %+v", s.NotCompared, s.Sources, s.Generations)})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("verify %s: %w", source, err)
		}
	}
	return nil
}

// deletions are the paths that the log says to be deleted in every view.
func (v *Vulture) deletions() (left []document.Path) {
	type state struct {
		path document.Path
		live bool
	}
	docs := map[bus.DocKey]state{}
	v.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Doc != document.MarkerDoc && slices.Contains(v.sources, k.Source) {
			d := bus.DocKey{Source: k.Source, Doc: k.Doc}
			docs[d] = state{h.Path, docs[d].live || h.Op != contract.OpDelete}
		}
		return true
	})
	for _, s := range docs {
		if !s.live {
			left = append(left, s.path)
		}
	}
	return left
}

// sweep has the stores compared with INDEXED. A run without interruptions
// leaves nothing behind, and after any run one sweep is enough. Where others
// write all the time, the parts of the log are not of one moment, and what is
// removed says nothing.
func (v *Vulture) sweep(ctx context.Context, rest bool) error {
	for round := range 2 {
		var r contract.SweepReply
		err := insist(ctx, func() (err error) {
			r, err = client.Sweep.Ask(ctx, v.bus.Conn(), client.None)
			return err
		})
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
	var st contract.StatusReply
	err = insist(ctx, func() (err error) {
		st, err = client.Status.Ask(ctx, v.bus.Conn(), client.None)
		return err
	})
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

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

// comparison holds sources, log and stores of a deployment at rest against each other.
type comparison struct {
	cfg     Config
	bus     *bus.Bus
	judge   *judge
	sources []document.Source
	// sweptBefore is how many chunks had been swept before.
	sweptBefore uint64
}

// newComparison notes what the deployment has done before.
func newComparison(ctx context.Context, v *Vulture) (*comparison, error) {
	c := &comparison{cfg: v.cfg, bus: v.bus, judge: v.judge, sources: v.sources}
	var err error
	c.sweptBefore, _, err = c.swept(ctx)
	return c, err
}

// run holds the stores against the log, id by id. It is the one place
// where the whole deployment is compared.
func (c *comparison) run(ctx context.Context) error {
	rest, err := c.drained(ctx)
	if err != nil {
		return err
	}
	swept, indexers, err := c.swept(ctx)
	if err != nil {
		return err
	}
	if swept > c.sweptBefore { // else an indexer started anew
		c.judge.count(func(r *Report) { r.Repaired = swept - c.sweptBefore })
		// Of several indexers, one may remove what another is about to: it knows
		// only of its own batches.
		if rest && !c.ended() && indexers == 1 {
			c.orphans("%d chunks that were removed only because a query had met them", swept-c.sweptBefore)
		}
	}
	if err := c.sweep(ctx, rest); err != nil {
		return err
	}
	if rest {
		c.purged(ctx)
	}
	return c.verify(ctx)
}

// purged waits until the log holds no deletion of the sources any more: every
// stage is done with them.
func (c *comparison) purged(ctx context.Context) {
	var left []document.Path
	for until := time.Now().Add(restWithin); time.Now().Before(until) && ctx.Err() == nil; {
		left = c.deletions()
		if len(left) == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	if ctx.Err() == nil {
		c.judge.add(Violation{Kind: Unequal, Path: left[0], At: time.Now(), Expected: "a log without the documents that were deleted",
			Seen: fmt.Sprintf("%d deletions, that of %s among them", len(left), left[0])})
	}
}

// verify has the sources, the log and the stores compared one by one.
func (c *comparison) verify(ctx context.Context) error {
	for _, source := range c.sources {
		err := client.Verify.Each(ctx, c.bus.Conn(), contract.VerifyRequest{Source: source}, func(p contract.VerifyPart) error {
			if d := p.Difference; d != nil {
				c.judge.add(Violation{Kind: Unequal, Source: d.Source, Path: d.Path, At: time.Now(), Expected: "sources, log and stores that are equal",
					Seen: fmt.Sprintf("%s %s in %s %s: %s", d.What, d.Doc, d.Stage, d.Sink, d.Detail)})
			}
			if s := p.Summary; s != nil && s.Outcome == contract.OutcomeIncomplete {
				c.judge.add(Violation{Kind: Unequal, Source: source, At: time.Now(), Expected: "sources, log and stores that are compared as a whole",
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
func (c *comparison) deletions() (left []document.Path) {
	type state struct {
		path document.Path
		live bool
	}
	docs := map[bus.DocKey]state{}
	c.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Doc != document.MarkerDoc && slices.Contains(c.sources, k.Source) {
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
func (c *comparison) sweep(ctx context.Context, rest bool) error {
	for round := range 2 {
		var r contract.SweepReply
		err := insist(ctx, func() (err error) {
			r, err = client.Sweep.Ask(ctx, c.bus.Conn(), client.None)
			return err
		})
		if err != nil {
			return err
		}
		if round == 0 {
			c.judge.count(func(rep *Report) { rep.Swept, rep.Rested = r, true })
		}
		if forgiven := c.ended() && round == 0; r.Removed > 0 && rest && !forgiven {
			c.orphans("sweep %d removed %d of %d chunks", round+1, r.Removed, r.Compared)
		}
		if r.Restored > 0 {
			c.judge.add(Violation{Kind: Lost, At: time.Now(), Expected: "stores that hold everything that INDEXED lists",
				Seen: fmt.Sprintf("sweep %d restored %d chunks", round+1, r.Restored)})
		}
	}
	return nil
}

// ended reports whether a process may have left what only a sweep removes.
func (c *comparison) ended() bool {
	return c.cfg.Interrupted && (c.cfg.Ended == nil || c.cfg.Ended())
}

func (c *comparison) orphans(seen string, args ...any) {
	c.judge.add(Violation{Kind: Orphan, At: time.Now(), Expected: "stores that hold what INDEXED lists and nothing else",
		Seen: fmt.Sprintf(seen, args...)})
}

// swept is how many chunks the indexers have removed, since they started, that
// nobody listed and of which no purge had told them, and how many indexers there are.
func (c *comparison) swept(ctx context.Context) (sum uint64, indexers int, err error) {
	var st contract.StatusReply
	err = insist(ctx, func() (err error) {
		st, err = client.Status.Ask(ctx, c.bus.Conn(), client.None)
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
func (c *comparison) drained(ctx context.Context) (bool, error) {
	for until := time.Now().Add(restWithin); time.Now().Before(until); {
		open := uint64(0)
		for _, stream := range []string{contract.StreamFiles, contract.StreamChunks, contract.StreamVectors} {
			s, err := c.bus.JetStream().Stream(ctx, stream)
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

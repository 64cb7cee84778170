package verify

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// verifyGrace is how long after its start a process leaves a comparison that
// is overdue: there is more to do then than reading every file.
const verifyGrace = 10 * time.Minute

// Verifier compares, by request and by itself.
type Verifier struct {
	*Deps
	turn   chan struct{} // holds one while a comparison runs
	checks atomic.Uint64 // of the log's heads, ended without error
}

// New takes what is there; nothing runs before Run.
func New(deps Deps) *Verifier { return &Verifier{Deps: &deps, turn: make(chan struct{}, 1)} }

// Checks is how often the heads of the log were checked.
func (s *Verifier) Checks() uint64 { return s.checks.Load() }

// Turn waits until no comparison runs, and keeps others from beginning until its
// caller calls over.
func (s *Verifier) Turn(ctx context.Context) (over func(), err error) {
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Run answers requests for a comparison, and makes one by itself every so
// often. One process of a deployment does.
func (s *Verifier) Run(ctx context.Context) error {
	return s.Bus.RunAlone(ctx, "verifier", func(ctx context.Context) error {
		svc, err := rpc.NewService(s.Bus, "freshet-verifier", "Compares sources, log and stores", s.Version)
		if err != nil {
			return err
		}
		defer func() { _ = svc.Stop() }()
		err = rpc.StreamEndpoint(ctx, svc, rpc.Options{Name: "verify", Subject: contract.SubjectVerify}, s.Compare)
		if err != nil {
			return err
		}
		g, gctx := errgroup.WithContext(ctx)
		g.Go(func() error { return s.compareRegularly(gctx) })
		g.Go(func() error { return s.checkRegularly(gctx) })
		g.Go(func() error { return s.heal(gctx) })
		return g.Wait()
	})
}

// Compare compares sources, log and stores, and repairs what differs if that is
// asked for. It sends differences as it finds them, and the summary last. One
// comparison runs at a time; a second one waits.
func (s *Verifier) Compare(ctx context.Context, req contract.VerifyRequest, send func(contract.VerifyPart) error) error {
	over, err := s.Turn(ctx)
	if err != nil {
		return err
	}
	defer over()
	v := s.comparison(req, send)
	failed := v.run(ctx)
	if failed != nil {
		if kind := document.KindOf(failed); ctx.Err() != nil || kind == document.NotFound || kind == document.InvalidRequest {
			return failed // nobody asked, or for nothing that there is
		}
		v.tell.sum.NotCompared = failed.Error()
	}
	v.tell.sum.Conclude()
	v.tell.sum.TookMS = time.Since(v.tell.sum.Started).Milliseconds()
	// One that broke off is kept, too: the last one says nothing any more.
	if err := bus.VerifiedOf(v.Bus).Keep(ctx, v.tell.sum); err != nil {
		return errors.Join(failed, err)
	}
	if failed != nil {
		return failed
	}
	return send(contract.VerifyPart{Summary: &v.tell.sum})
}

func (s *Verifier) compareRegularly(ctx context.Context) error {
	for {
		last, err := bus.VerifiedOf(s.Bus).Last(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("the last comparison is not known", "error", err)
		}
		wait := s.Every
		if last != nil {
			wait = min(wait, max(verifyGrace, time.Until(last.Started.Add(s.Every))))
		}
		if !pause(ctx, wait) {
			return nil
		}
		if now, err := bus.VerifiedOf(s.Bus).Last(ctx); err == nil && now != nil && (last == nil || now.Started.After(last.Started)) {
			continue // somebody asked for one meanwhile
		}
		err = s.Compare(ctx, contract.VerifyRequest{}, s.logDifference)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("sources, log and stores were not compared", "error", err)
		}
	}
}

func (s *Verifier) logDifference(p contract.VerifyPart) error {
	switch d := p.Difference; {
	case d != nil:
		s.Log.Warn("a difference was found",
			"actions", document.Acts(document.DoVerifyRepair), "stage", d.Stage, "sink", d.Sink, "source", d.Source, "path", d.Path, "what", d.What, "detail", d.Detail)
	case p.Summary != nil && p.Summary.Equal:
		s.Log.Info("sources, log and stores are equal", "took", time.Duration(p.Summary.TookMS)*time.Millisecond)
	case p.Summary != nil:
		s.logGaps(*p.Summary)
	}
	return nil
}

// logGaps logs what was not compared.
func (s *Verifier) logGaps(sum contract.VerifySummary) {
	for _, src := range sum.Sources {
		if !src.Complete() {
			s.Log.Warn("a source was not compared as a whole", "source", src.Source, "why", src.NotCompared, "next", src.Next, "actions", src.Actions, "unread", src.Unread)
		}
	}
	for _, g := range sum.Generations {
		if g.NotCompared != "" {
			s.Log.Warn("a generation was not compared", "generation", g.Generation, "why", g.NotCompared)
		}
	}
	if sum.NotCompared != "" {
		s.Log.Warn("not everything was compared", "why", sum.NotCompared)
	}
}

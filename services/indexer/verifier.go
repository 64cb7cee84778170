package indexer

import (
	"context"
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

// verifier answers requests for a comparison, and makes one by itself every so
// often. One process of a deployment does.
func (s *Service) verifier(ctx context.Context) error {
	return s.deps.Bus.RunAlone(ctx, "verifier", func(ctx context.Context) error {
		svc, err := rpc.NewService(s.deps.Bus, "freshet-verifier", "Compares sources, log and stores", s.deps.Version)
		if err != nil {
			return err
		}
		defer func() { _ = svc.Stop() }()
		err = rpc.StreamEndpoint(ctx, svc, rpc.Options{Name: "verify", Subject: contract.SubjectVerify}, s.Verify)
		if err != nil {
			return err
		}
		g, gctx := errgroup.WithContext(ctx)
		g.Go(func() error { return s.verifyRegularly(gctx) })
		g.Go(func() error { return s.checkRegularly(gctx) })
		g.Go(func() error { return s.heal(gctx) })
		return g.Wait()
	})
}

func (s *Service) verifyRegularly(ctx context.Context) error {
	for {
		last, err := bus.VerifiedOf(s.deps.Bus).Last(ctx)
		if err != nil && ctx.Err() == nil {
			s.deps.Log.Warn("the last comparison is not known", "error", err)
		}
		wait := s.cfg.Verify
		if last != nil {
			wait = min(wait, max(verifyGrace, time.Until(last.Started.Add(s.cfg.Verify))))
		}
		if !pause(ctx, wait) {
			return nil
		}
		if now, err := bus.VerifiedOf(s.deps.Bus).Last(ctx); err == nil && now != nil && (last == nil || now.Started.After(last.Started)) {
			continue // somebody asked for one meanwhile
		}
		err = s.Verify(ctx, contract.VerifyRequest{}, s.logDifference)
		if err != nil && ctx.Err() == nil {
			s.deps.Log.Warn("sources, log and stores were not compared", "error", err)
		}
	}
}

func (s *Service) logDifference(p contract.VerifyPart) error {
	switch d := p.Difference; {
	case d != nil:
		s.deps.Log.Warn("a difference was found",
			"actions", document.Acts(document.DoVerifyRepair), "stage", d.Stage, "sink", d.Sink, "source", d.Source, "path", d.Path, "what", d.What, "detail", d.Detail)
	case p.Summary != nil && p.Summary.Equal:
		s.deps.Log.Info("sources, log and stores are equal", "took", time.Duration(p.Summary.TookMS)*time.Millisecond)
	case p.Summary != nil:
		s.logGaps(*p.Summary)
	}
	return nil
}

// logGaps logs what was not compared.
func (s *Service) logGaps(sum contract.VerifySummary) {
	for _, src := range sum.Sources {
		if !src.Complete() {
			s.deps.Log.Warn("a source was not compared as a whole", "source", src.Source, "why", src.NotCompared, "next", src.Next, "actions", src.Actions, "unread", src.Unread)
		}
	}
	for _, g := range sum.Generations {
		if g.NotCompared != "" {
			s.deps.Log.Warn("a generation was not compared", "generation", g.Generation, "why", g.NotCompared)
		}
	}
	if sum.NotCompared != "" {
		s.deps.Log.Warn("not everything was compared", "why", sum.NotCompared)
	}
}

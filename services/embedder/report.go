package embedder

import (
	"context"
	"maps"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// report tells what was done, and what keeps passages waiting.
func (s *Service) report() contract.Report {
	c := &s.counters
	r := contract.Report{
		Service: "embedder", Started: s.started,
		Counters: map[string]uint64{
			"documents": c.documents.Load(), "embedded": c.embedded.Load(), "reused": c.reused.Load(),
			"bare": c.bare.Load(), "queries": c.queries.Load(), "covered": c.covered.Load(),
		},
	}
	if s.deps.Beside {
		r.Beside = s.cfg.Build
	}
	remote, ok := s.deps.Embedder.(embed.Remote)
	if !ok {
		return r
	}
	u := remote.Usage()
	for name, n := range map[string]uint64{
		"requests": u.Requests, "retries": u.Retries, "texts": u.Texts, "remembered": u.Reused, "refused": u.Refused, "tokens": u.Tokens,
	} {
		r.Counters[name] = n
	}
	maps.Copy(r.Counters, s.guard.Counters())
	r.Spent = s.ledger.spent()
	const wait, alone = "passages wait for their vectors", ", and questions are answered by words alone: "
	if err := s.canary.changed(); err != nil {
		r.Degraded = append(r.Degraded, wait+alone+err.Error())
	} else if trouble := remote.Trouble(); trouble != "" {
		r.Degraded = append(r.Degraded, wait+alone+trouble)
	}
	if err := s.ledger.exceeded(); err != nil {
		sentence := wait + ": " + err.Error()
		r.Degraded = append(r.Degraded, sentence)
		r.Actions = append(r.Actions, document.About(sentence, document.ActionsOf(err)...)...)
	}
	return r
}

// mayEmbed returns nil where the server has the model that it had, and the day's
// budget is not used up.
func (s *Service) mayEmbed(ctx context.Context) error {
	if err := s.ledger.allows(ctx); err != nil {
		return err
	}
	return s.canary.check(ctx)
}

// probe asks the log, and the server that makes vectors, whether they answer.
func (s *Service) probe(stream string) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := s.deps.Bus.LastSeq(ctx, stream); err != nil {
			return err
		}
		remote, ok := s.deps.Embedder.(embed.Remote)
		if !ok {
			return nil
		}
		if err := s.mayEmbed(ctx); err != nil {
			return err
		}
		return remote.Probe(ctx)
	}
}

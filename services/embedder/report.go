package embedder

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
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
	if trouble := remote.Trouble(); trouble != "" {
		r.Degraded = append(r.Degraded, "passages wait for their vectors, and questions are answered by words alone: "+trouble)
	}
	return r
}

// probe asks the log, and the server that makes vectors, whether they answer.
func (s *Service) probe(stream string) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := s.deps.Bus.LastSeq(ctx, stream); err != nil {
			return err
		}
		if remote, ok := s.deps.Embedder.(embed.Remote); ok {
			return remote.Probe(ctx)
		}
		return nil
	}
}

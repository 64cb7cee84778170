package embedder

import (
	"context"
	"maps"
	"strings"

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
	for _, m := range s.makers {
		m.tell(&r)
	}
	if s.ledger == nil {
		return r
	}
	maps.Copy(r.Counters, s.guard.Counters())
	r.Spent = s.ledger.spent()
	if err := s.ledger.exceeded(); err != nil {
		sentence := wait + ": " + err.Error()
		r.Degraded = append(r.Degraded, sentence)
		r.Actions = append(r.Actions, document.About(sentence, document.ActionsOf(err)...)...)
	}
	return r
}

const wait, alone = "passages wait for their vectors", ", and questions are answered by words alone: "

// tell adds what is known of a model that may fail to a report.
func (s *maker) tell(r *contract.Report) {
	fallible, ok := s.model.(embed.Fallible)
	if !ok {
		return
	}
	if remote, ok := s.model.(embed.Remote); ok {
		u := remote.Usage()
		for name, n := range map[string]uint64{
			"requests": u.Requests, "retries": u.Retries, "texts": u.Texts, "remembered": u.Reused, "refused": u.Refused, "tokens": u.Tokens,
		} {
			r.Counters[name] += n
		}
	}
	why := fallible.Trouble()
	if err := s.canary.changed(); err != nil {
		why = err.Error()
	}
	if why != "" {
		r.Degraded = append(r.Degraded, s.of()+wait+alone+why)
	}
}

// of begins a sentence about some collections; "" where it is about all.
func (s *maker) of() string {
	if len(s.makers) < 2 {
		return ""
	}
	var names []string
	for _, g := range s.generations {
		names = append(names, string(contract.CollectionOf(g)))
	}
	return strings.Join(names, " and ") + ": "
}

// mayEmbed returns nil where the server has the model that it had, and the day's
// budget is not used up.
func (s *maker) mayEmbed(ctx context.Context) error {
	if _, ok := s.model.(embed.Remote); !ok {
		return nil
	}
	if err := s.ledger.allows(ctx); err != nil {
		return err
	}
	return s.canary.check(ctx)
}

// probe asks the log, and the server that makes vectors, whether they answer.
func (s *maker) probe(stream string) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := s.deps.Bus.LastSeq(ctx, stream); err != nil {
			return err
		}
		fallible, ok := s.model.(embed.Fallible)
		if !ok {
			return nil
		}
		if err := s.mayEmbed(ctx); err != nil {
			return err
		}
		return fallible.Probe(ctx)
	}
}

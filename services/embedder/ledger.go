package embedder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// ledger counts what servers of vectors cost, in one record of the log that all
// embedders add to. It is safe for concurrent use.
type ledger struct {
	bus    *bus.Bus
	models []*metered
	budget float64

	mu     *sync.Mutex // one with that of the ledger whose place it took
	record contract.Spent
	read   bool
}

// metered is a model with a price.
type metered struct {
	model   embed.Remote
	price   float64
	counted bool   // by another ledger of this process
	booked  uint64 // tokens of model that are in the record
}

// used are the tokens of the model that have to be booked.
func (m *metered) used() uint64 {
	if m.counted {
		return 0
	}
	return m.model.Usage().Tokens
}

// newLedger returns nil for embedders that cost nothing. Models that before has, too, are
// counted on.
func newLedger(b *bus.Bus, budget float64, models []*metered, before *ledger) *ledger {
	if len(models) == 0 {
		return nil
	}
	l := &ledger{bus: b, models: models, budget: budget, mu: &sync.Mutex{}}
	if before == nil {
		return l
	}
	l.mu = before.mu
	for i, m := range l.models {
		for _, same := range before.models {
			if same.model == m.model {
				l.models[i] = same
			}
		}
	}
	return l
}

func (l *ledger) day() string { return l.bus.Now().UTC().Format(time.DateOnly) }

// unbooked is what was used since the last time: tokens, and what they cost.
func (l *ledger) unbooked() (tokens uint64, cost float64, booked func()) {
	now := make([]uint64, len(l.models))
	for i, m := range l.models {
		now[i] = m.used()
		more := now[i] - min(now[i], m.booked)
		tokens, cost = tokens+more, cost+float64(more)*m.price/1e6
	}
	return tokens, cost, func() {
		for i, m := range l.models {
			m.booked = max(m.booked, now[i])
		}
	}
}

// alone reports whether no model is counted by another ledger, which adds to the record.
func (l *ledger) alone() bool {
	return !slices.ContainsFunc(l.models, func(m *metered) bool { return m.counted })
}

// book adds to the record what was used since the last time.
func (l *ledger) book(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket := l.bus.Bucket(contract.BucketMeta)
	for {
		tokens, cost, booked := l.unbooked()
		if l.alone() && tokens == 0 && l.read && l.record.Day == l.day() {
			return nil
		}
		raw, revision, err := bucket.Get(ctx, contract.KeySpent)
		if err != nil {
			return err
		}
		var now contract.Spent
		if json.Unmarshal(raw, &now) != nil {
			now = contract.Spent{} // nobody can read it: it begins anew
		}
		now = l.with(now, tokens, cost)
		if tokens > 0 {
			js, err := json.Marshal(now)
			if err != nil {
				return fmt.Errorf("encode what was spent: %w", err)
			}
			_, err = bucket.Update(ctx, contract.KeySpent, js, revision)
			if errors.Is(err, bus.ErrConflict) {
				continue
			}
			if err != nil {
				return err
			}
		}
		booked()
		l.record, l.read = now, true
		return nil
	}
}

// with adds tokens to a record of any day.
func (l *ledger) with(s contract.Spent, tokens uint64, cost float64) contract.Spent {
	if today := l.day(); s.Day != today {
		s.Day, s.Tokens, s.Cost = today, 0, 0
	}
	s.Tokens, s.Cost = s.Tokens+tokens, s.Cost+cost
	s.AllTokens, s.AllCost = s.AllTokens+tokens, s.AllCost+cost
	s.Budget = l.budget
	return s
}

// spent is what was spent, what is not booked yet included; nil for nothing that
// costs.
func (l *ledger) spent() *contract.Spent {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens, cost, _ := l.unbooked()
	s := l.with(l.record, tokens, cost)
	return &s
}

// allows returns nil as long as the day's budget is not used up. The error is
// RateLimited: it is over with the day.
func (l *ledger) allows(ctx context.Context) error {
	if l == nil || l.budget == 0 {
		return nil
	}
	if err := l.book(ctx); err != nil {
		return err
	}
	return l.exceeded()
}

func (l *ledger) exceeded() error {
	s := l.spent()
	if s == nil || l.budget == 0 || s.Cost < l.budget {
		return nil
	}
	return document.Errorf(document.RateLimited, "the day's budget for vectors is used up: %.2f of %.2f; it goes on at 00:00 UTC, or with a larger embedder.budget", s.Cost, l.budget).
		With(document.Action{Do: document.DoRaiseLimit, Setting: "embedder.budget"})
}

package embedder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// ledger counts what a server of vectors costs, in one record of the log that all
// embedders add to. It is safe for concurrent use.
type ledger struct {
	bus           *bus.Bus
	model         embed.Remote
	price, budget float64
	counted       bool // by another ledger of this process

	mu     sync.Mutex
	booked uint64 // tokens of model that are in the record
	record contract.Spent
	read   bool
}

// newLedger returns nil for an embedder that costs nothing.
func newLedger(deps Deps, price, budget float64) *ledger {
	model, ok := deps.Embedder.(embed.Remote)
	if !ok {
		return nil
	}
	return &ledger{bus: deps.Bus, model: model, price: price, budget: budget, counted: deps.Counted}
}

// used are the tokens of the model that this ledger has to book.
func (l *ledger) used() uint64 {
	if l.counted {
		return 0
	}
	return l.model.Usage().Tokens
}

func (l *ledger) day() string { return l.bus.Now().UTC().Format(time.DateOnly) }

// book adds to the record what was used since the last time.
func (l *ledger) book(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket := l.bus.Bucket(contract.BucketMeta)
	for {
		used := l.used()
		if !l.counted && used == l.booked && l.read && l.record.Day == l.day() {
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
		now = l.with(now, used-l.booked)
		if used > l.booked {
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
		l.booked, l.record, l.read = used, now, true
		return nil
	}
}

// with adds tokens to a record of any day.
func (l *ledger) with(s contract.Spent, tokens uint64) contract.Spent {
	if today := l.day(); s.Day != today {
		s.Day, s.Tokens, s.Cost = today, 0, 0
	}
	cost := float64(tokens) * l.price / 1e6
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
	s := l.with(l.record, l.used()-l.booked)
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

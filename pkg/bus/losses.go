package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Losses are what the log has lost. They are safe for concurrent use.
type Losses struct{ bus *Bus }

// LossesOf are what the log has lost.
func LossesOf(b *Bus) Losses { return Losses{b} }

// All returns what the log has lost, what cannot be made again, and what
// nobody has accepted yet.
func (l Losses) All(ctx context.Context) ([]contract.Loss, error) {
	list, _, err := l.read(ctx)
	return list, err
}

// Accept forgets what was lost, and returns it.
func (l Losses) Accept(ctx context.Context) ([]contract.Loss, error) {
	for {
		list, revision, err := l.read(ctx)
		if err != nil || len(list) == 0 {
			return list, err
		}
		err = l.bus.Bucket(contract.BucketMeta).Remove(ctx, contract.KeyLosses, revision)
		if errors.Is(err, ErrConflict) {
			continue // something else was lost meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("accept what was lost: %w", err)
		}
		return list, nil
	}
}

func (l Losses) read(ctx context.Context) ([]contract.Loss, uint64, error) {
	raw, revision, err := l.bus.Bucket(contract.BucketMeta).Get(ctx, contract.KeyLosses)
	if err != nil || revision == 0 {
		return nil, 0, err
	}
	var list []contract.Loss
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, 0, fmt.Errorf("decode what was lost: %w", err)
	}
	return list, revision, nil
}

// tell puts into the log what the embedded server has noted before it
// opened it.
func (l Losses) tell(ctx context.Context) error {
	if l.bus.note == nil {
		return nil
	}
	d, err := l.bus.note.Read()
	if err != nil {
		return err
	}
	if err := l.Keep(ctx, d.Losses); err != nil {
		return err
	}
	return l.bus.note.Drop()
}

// Keep adds to what was lost, each thing once.
func (l Losses) Keep(ctx context.Context, losses []contract.Loss) error {
	for len(losses) > 0 {
		known, revision, err := l.read(ctx)
		if err != nil {
			return err
		}
		js, err := json.Marshal(mergeLosses(known, losses))
		if err != nil {
			return fmt.Errorf("encode what was lost: %w", err)
		}
		_, err = l.bus.Bucket(contract.BucketMeta).Update(ctx, contract.KeyLosses, js, revision)
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err != nil {
			return fmt.Errorf("keep what was lost: %w", err)
		}
		return nil
	}
	return nil
}

// mergeLosses adds what is new.
func mergeLosses(known, losses []contract.Loss) []contract.Loss {
	seen := map[contract.Loss]bool{}
	plain := func(l contract.Loss) contract.Loss {
		l.Found = time.Time{}
		return l
	}
	for _, l := range known {
		seen[plain(l)] = true
	}
	for _, l := range losses {
		if !seen[plain(l)] {
			seen[plain(l)] = true
			known = append(known, l)
		}
	}
	return known
}

// Damage is what a log was found to have lost before it was opened.
type Damage struct {
	// Files is true where FILES has lost something: no token from before holds.
	Files  bool            `json:"files"`
	Losses []contract.Loss `json:"losses"`
}

// And is d and what other adds to it.
func (d Damage) And(other Damage) Damage {
	return Damage{d.Files || other.Files, mergeLosses(d.Losses, other.Losses)}
}

package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Losses returns what the log has lost, what cannot be made again, and what
// nobody has accepted yet.
func (b *Bus) Losses(ctx context.Context) ([]contract.Loss, error) {
	list, _, err := b.keptLosses(ctx)
	return list, err
}

// AcceptLosses forgets what was lost, and returns it.
func (b *Bus) AcceptLosses(ctx context.Context) ([]contract.Loss, error) {
	for {
		list, revision, err := b.keptLosses(ctx)
		if err != nil || len(list) == 0 {
			return list, err
		}
		err = b.Bucket(contract.BucketMeta).Remove(ctx, contract.KeyLosses, revision)
		if errors.Is(err, ErrConflict) {
			continue // something else was lost meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("accept what was lost: %w", err)
		}
		return list, nil
	}
}

func (b *Bus) keptLosses(ctx context.Context) ([]contract.Loss, uint64, error) {
	raw, revision, err := b.Bucket(contract.BucketMeta).Get(ctx, contract.KeyLosses)
	if err != nil || revision == 0 {
		return nil, 0, err
	}
	var list []contract.Loss
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, 0, fmt.Errorf("decode what was lost: %w", err)
	}
	return list, revision, nil
}

// tellDamage puts into the log what the embedded server has noted before it
// opened it.
func (b *Bus) tellDamage(ctx context.Context) error {
	if b.note == nil {
		return nil
	}
	d, err := b.note.Read()
	if err != nil {
		return err
	}
	if err := b.KeepLosses(ctx, d.Losses); err != nil {
		return err
	}
	return b.note.Drop()
}

// KeepLosses adds to what was lost, each thing once.
func (b *Bus) KeepLosses(ctx context.Context, losses []contract.Loss) error {
	for len(losses) > 0 {
		known, revision, err := b.keptLosses(ctx)
		if err != nil {
			return err
		}
		js, err := json.Marshal(mergeLosses(known, losses))
		if err != nil {
			return fmt.Errorf("encode what was lost: %w", err)
		}
		_, err = b.Bucket(contract.BucketMeta).Update(ctx, contract.KeyLosses, js, revision)
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

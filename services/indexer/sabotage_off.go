//go:build !sabotage

package indexer

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/store"
)

// These are switched on only in builds that prove that the checks catch it
// (make sabotage).
const (
	skipDelete = false
	skipSweep  = false
	skipMark   = false
)

func (k *keeper[E]) overlook(_ context.Context, m store.Mark) (store.Mark, error) { return m, nil }

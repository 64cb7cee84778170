package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// AcceptedBuild is the build that somebody has accepted though it is above the
// limits. There is one at most: whoever accepts another has changed his mind. It is
// safe for concurrent use.
type AcceptedBuild struct{ bus *Bus }

// acceptance is the record of it, under contract.KeyAccepted in BucketMeta.
type acceptance struct {
	Build contract.BuildID `json:"build"`
	At    time.Time        `json:"at"`
}

// AcceptedBuildOf is the build that is accepted.
func AcceptedBuildOf(b *Bus) AcceptedBuild { return AcceptedBuild{b} }

// ID returns which it is; "" for none.
func (a AcceptedBuild) ID(ctx context.Context) (contract.BuildID, error) {
	raw, _, err := a.bus.Bucket(contract.BucketMeta).Get(ctx, contract.KeyAccepted)
	return acceptedOf(raw), err
}

func acceptedOf(raw []byte) contract.BuildID {
	var r acceptance
	if json.Unmarshal(raw, &r) != nil {
		return ""
	}
	return r.Build
}

// Accept notes that a build is accepted, and no other any more.
func (a AcceptedBuild) Accept(ctx context.Context, id contract.BuildID) error {
	js, err := json.Marshal(acceptance{Build: id, At: a.bus.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("encode that the build %s is accepted: %w", id, err)
	}
	_, err = a.bus.Bucket(contract.BucketMeta).Put(ctx, contract.KeyAccepted, js)
	return err
}

// Forget notes that none is accepted.
func (a AcceptedBuild) Forget(ctx context.Context) error {
	return a.bus.Bucket(contract.BucketMeta).Forget(ctx, contract.KeyAccepted)
}

// Follow calls told with the build that is accepted, and whenever that changes,
// until ctx ends.
func (a AcceptedBuild) Follow(ctx context.Context, told func(contract.BuildID)) {
	a.bus.Bucket(contract.BucketMeta).Follow(ctx, contract.KeyAccepted, func(e Entry) {
		if e.Removed {
			told("")
			return
		}
		told(acceptedOf(e.Value))
	}, func(int) {})
}

// Begun waits until begin is closed, and returns at once where it is nil. It is
// false when ctx ended before.
func Begun(ctx context.Context, begin <-chan struct{}) bool {
	if begin == nil {
		return true
	}
	select {
	case <-begin:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

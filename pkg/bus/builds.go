package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// servingKey is the key in BucketMeta of the build that answers are made of.
const servingKey = "serving"

// buildKey is the key in BucketMeta of how a build is made.
func buildKey(id contract.BuildID) string { return "build." + string(id) }

// Serving says which build answers are made of. The zero value says that nobody
// has named one.
type Serving struct {
	Build contract.BuildID `json:"build"`
	Since time.Time        `json:"since"`

	revision uint64
}

// Builds are the records of how builds are made, and of which one serves.
type Builds struct{ bus *Bus }

// BuildsOf are those that the log keeps.
func BuildsOf(b *Bus) Builds { return Builds{b} }

// Note keeps how a build is made, for whoever makes another one later. Where it was made
// with another analyzer before, that one is kept, too: see FormerAnalyzers.
func (b Builds) Note(ctx context.Context, build contract.Build) error {
	if err := b.noteAnalyzer(ctx, build); err != nil {
		return err
	}
	js, err := json.Marshal(build)
	if err != nil {
		return fmt.Errorf("encode the build %s: %w", build.ID(), err)
	}
	_, err = b.bus.Bucket(contract.BucketMeta).Put(ctx, buildKey(build.ID()), js)
	return err
}

// Get returns how a build is made; false where nobody has noted it, or what is
// noted cannot be read.
func (b Builds) Get(ctx context.Context, id contract.BuildID) (contract.Build, bool, error) {
	raw, _, err := b.bus.Bucket(contract.BucketMeta).Get(ctx, buildKey(id))
	if err != nil {
		return contract.Build{}, false, err
	}
	var build contract.Build
	if err := json.Unmarshal(raw, &build); err == nil && build.ID() == id {
		return build, true, nil
	}
	return contract.Build{}, false, nil
}

// Generations are those of builds: as they are noted, or as of one that makes all
// collections alike.
func (b Builds) Generations(ctx context.Context, ids ...contract.BuildID) ([]document.Generation, error) {
	var out []document.Generation
	for _, id := range ids {
		build, ok, err := b.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, c := range build.Collections() {
			g := id.Generation(c)
			if ok {
				g = build.Generation(c)
			}
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out, nil
}

// KeepOnly removes what is noted of all builds but those named: nothing that
// they made is left.
func (b Builds) KeepOnly(ctx context.Context, keep ...contract.BuildID) error {
	for _, pattern := range []string{buildKey("*"), "analyzer.*"} {
		keys, err := b.keys(ctx, pattern)
		if err != nil {
			return err
		}
		for _, key := range keys {
			of := func(id contract.BuildID) bool { return buildKey(id) == key || strings.HasPrefix(key, analyzersOf(id)) }
			if slices.ContainsFunc(keep, of) {
				continue
			}
			if err := b.bus.Bucket(contract.BucketMeta).Forget(ctx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// Serving reads which build answers are made of. A record that cannot be read
// counts as none.
func (b Builds) Serving(ctx context.Context) (Serving, error) {
	raw, revision, err := b.bus.Bucket(contract.BucketMeta).Get(ctx, servingKey)
	if err != nil {
		return Serving{}, err
	}
	return servingOf(raw, revision), nil
}

func servingOf(raw []byte, revision uint64) Serving {
	var s Serving
	if json.Unmarshal(raw, &s) != nil {
		s = Serving{}
	}
	s.revision = revision
	return s
}

// FollowServing calls told with the build that answers are made of, and whenever
// it changes, until ctx ends.
func (b Builds) FollowServing(ctx context.Context, told func(Serving)) {
	b.bus.Bucket(contract.BucketMeta).Follow(ctx, servingKey, func(e Entry) {
		if !e.Removed {
			told(servingOf(e.Value, e.Revision))
		}
	}, func(int) {})
}

// Serve has answers be made of another build, if what before says still holds. The
// error is ErrConflict where somebody else has named one since.
func (b Builds) Serve(ctx context.Context, before Serving, now contract.BuildID) (Serving, error) {
	next := Serving{Build: now, Since: b.bus.Now().UTC().Truncate(time.Second)}
	js, err := json.Marshal(next)
	if err != nil {
		return before, fmt.Errorf("encode which build serves: %w", err)
	}
	next.revision, err = b.bus.Bucket(contract.BucketMeta).Update(ctx, servingKey, js, before.revision)
	if err != nil {
		return before, err
	}
	return next, nil
}

// All are all builds of which somebody has kept how they are made. What cannot
// be read is left out.
func (b Builds) All(ctx context.Context) ([]contract.Build, error) {
	keys, err := b.keys(ctx, buildKey("*"))
	if err != nil {
		return nil, err
	}
	var out []contract.Build
	for _, key := range keys {
		build, ok, err := b.Get(ctx, contract.BuildID(strings.TrimPrefix(key, buildKey(""))))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, build)
		}
	}
	return out, nil
}

package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// extent is how much a source has, or may have.
type extent struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

func (e extent) within(limit extent) bool { return e.Files <= limit.Files && e.Bytes <= limit.Bytes }

// String is for a person.
func (e extent) String() string {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}} {
		if n := float64(e.Bytes) / unit.bytes; n >= 1 {
			return fmt.Sprintf("%s files, %.1f %s", thousands(e.Files), n, unit.name)
		}
	}
	return fmt.Sprintf("%s files, %s bytes", thousands(e.Files), thousands(int(e.Bytes)))
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// roomToGrow is how many times what was accepted a source may have before it
// is asked about again.
const roomToGrow = 2

// quota is how much of a source may be published: while nothing of it is in the
// log, all or nothing. It is safe for concurrent use.
type quota struct {
	origin *origin.Origin
	limits config.Limits

	once    sync.Once
	decided chan struct{} // closed when the source was admitted or held first

	mu       sync.Mutex
	accepted extent
	held     string // why nothing of it is published, "" when it is
	told     string // the last such that was logged
}

func newQuota(o *origin.Origin, limits config.Limits, accepted extent) *quota {
	return &quota{origin: o, limits: limits, accepted: accepted, decided: make(chan struct{})}
}

// allowance is what the source may have.
func (q *quota) allowance() extent {
	q.mu.Lock()
	defer q.mu.Unlock()
	return extent{
		Files: max(q.limits.Files, roomToGrow*q.accepted.Files),
		Bytes: max(int64(q.limits.Bytes), roomToGrow*q.accepted.Bytes),
	}
}

// accept has it be as large as it is now.
func (q *quota) accept(found extent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.accepted = found
}

// decide lets go who waits for the first decision.
func (q *quota) decide() { q.once.Do(func() { close(q.decided) }) }

// admission says what a comparison may publish.
type admission int

const (
	admitted admission = iota
	// bounded: what the log knows is kept up to date, and new documents are
	// taken in as far as there is room.
	bounded
	// held: nothing at all.
	held
)

// admit decides about a whole comparison before anything of it is published.
// Only a source of which the log has nothing yet (it is not known) is held, so
// that none is ever thinned; what the log has tells the size of every other one
// as it grows.
func (q *quota) admit(ctx context.Context, t origin.Truth, known bool) (admission, error) {
	verdict, why := bounded, ""
	if !known {
		var err error
		if why, err = q.tooLarge(ctx, t); err != nil {
			return held, err
		}
		if verdict = admitted; why != "" {
			verdict = held
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = why
	q.decide()
	return verdict, nil
}

// tooLarge says by how much the source is above its limits, "" when it is not.
func (q *quota) tooLarge(ctx context.Context, t origin.Truth) (string, error) {
	limit := q.allowance()
	found, err := weigh(ctx, q.origin, t.StatOnly(), nil)
	if err != nil || found.within(limit) {
		return "", err
	}
	// By the names alone it is; but most of it may be pictures.
	inside, err := weigh(ctx, q.origin, t, &limit)
	if err != nil || inside.within(limit) {
		return "", err
	}
	return fmt.Sprintf("it holds up to %s, above the limit of %s (limits.files, limits.bytes), and nothing of it is indexed: leave folders out in .freshetignore, or let it be as large as it is", found, limit), nil
}

// errEnough ends a count that has got above its limit.
var errEnough = errors.New("enough was counted")

// weigh adds up the documents of a truth, until they are above a limit where
// one is given. What cannot be read is not counted: the comparison tells.
func weigh(ctx context.Context, o *origin.Origin, t origin.Truth, limit *extent) (extent, error) {
	var mu sync.Mutex
	var sum extent
	err := o.Traverse(ctx, t, false, func(e origin.Entry) error {
		if e.Outcome != origin.Indexed {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		sum.Files++
		sum.Bytes += e.Bytes
		if limit != nil && !sum.within(*limit) {
			return errEnough
		}
		return nil
	})
	if ctx.Err() != nil {
		return sum, ctx.Err()
	}
	if err != nil && !errors.Is(err, errEnough) {
		o.Log.Debug("not everything was counted", "source", o.Name, "error", err)
	}
	return sum, nil
}

// hold is why nothing of the source may be published, "" where it may.
func (q *quota) hold() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held
}

// tellHold logs that the source is held, once for each reason.
func (q *quota) tellHold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held != q.told {
		q.origin.Log.Info("source held: it is larger than the limits", "source", q.origin.Name, "root", q.origin.Place.Root)
	}
	q.told = q.held
}

// refusal is the error of a request that concerns a source that is held, else
// nil.
func (q *quota) refusal() error {
	why := q.hold()
	if why == "" {
		return nil
	}
	p := q.origin.Place
	return document.Errorf(document.TooLarge, "%s is held: %s", p.What(), why).With(acceptance(p.Root, p.Remote())...)
}

// await waits until the source was admitted or held for the first time, and
// returns its refusal.
func (q *quota) await(ctx context.Context) error {
	select {
	case <-q.decided:
		return q.refusal()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// admits reports whether the source was admitted: else its first comparison
// has not begun, and will read what there is.
func (q *quota) admits() bool {
	select {
	case <-q.decided:
		return q.hold() == ""
	default:
		return false
	}
}

// accept lets a source be as large as it is now, and remembers that. One
// within its limits needs nothing.
func (r *roster) accept(ctx context.Context, src *source) error {
	if src.origin.Place.Kind == contract.SourceAPI {
		return nil
	}
	t, _, _, err := src.origin.Current(ctx)
	if err != nil {
		return err
	}
	found, err := weigh(ctx, src.origin, t.StatOnly(), nil)
	if err != nil || found.within(src.quota.allowance()) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	reg, known := r.registry.list[src.name]
	if !known {
		return document.Errorf(document.NotFound, "the source %q was removed meanwhile: add it again", src.name)
	}
	reg.Accepted = found
	if err := r.registry.put(ctx, reg); err != nil {
		return err
	}
	src.quota.accept(found)
	return nil
}

// crowded says how a source that grew is above its limit, "" where it is not.
func (q *quota) crowded(left int) string {
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("limits: it is above the limit of %s (limits.files, limits.bytes), and %s new files are left out", q.allowance(), thousands(left))
}

// acceptance is what can be done about a source that is larger than the limits; remote
// is the address that root is the copy of, "" for none.
func acceptance(root, remote string) []document.Action {
	path := document.EncodePath(cmp.Or(remote, root))
	actions := []document.Action{
		{Do: document.DoSourcePlan, Path: path}, {Do: document.DoSourceAccept, Path: path},
		{Do: document.DoRaiseLimit, Setting: "limits"}, // either may be what it is above, or both
	}
	if remote != "" {
		return actions[1:] // a plan reads what is here
	}
	return actions
}

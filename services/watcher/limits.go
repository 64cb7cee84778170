package watcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
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

// allowance is what a source may have.
func (s *source) allowance() extent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return extent{
		Files: max(s.svc.cfg.Limits.Files, roomToGrow*s.accepted.Files),
		Bytes: max(int64(s.svc.cfg.Limits.Bytes), roomToGrow*s.accepted.Bytes),
	}
}

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
// Only a source of which the log has nothing yet is held, so that none is ever
// thinned; what the log has tells the size of every other one as it grows.
func (s *source) admit(ctx context.Context, t truth) (admission, error) {
	verdict, why := bounded, ""
	if !s.known() {
		var err error
		if why, err = s.tooLarge(ctx, t); err != nil {
			return held, err
		}
		if verdict = admitted; why != "" {
			verdict = held
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = why
	s.decide.Do(func() { close(s.decided) })
	return verdict, nil
}

// known reports whether the log has anything of the source.
func (s *source) known() bool { return len(s.svc.ledger.views(s.name)) > 0 }

// tooLarge says by how much a source is above its limits, "" when it is not.
func (s *source) tooLarge(ctx context.Context, t truth) (string, error) {
	limit := s.allowance()
	found, err := s.weigh(ctx, t.glance(), nil)
	if err != nil || found.within(limit) {
		return "", err
	}
	// By the names alone it is; but most of it may be pictures.
	inside, err := s.weigh(ctx, t, &limit)
	if err != nil || inside.within(limit) {
		return "", err
	}
	return fmt.Sprintf("it holds up to %s, above the limit of %s (limits.files, limits.bytes), and nothing of it is indexed: leave folders out in .freshetignore, or let it be as large as it is", found, limit), nil
}

// errEnough ends a count that has got above its limit.
var errEnough = errors.New("enough was counted")

// weigh adds up the documents of a truth, until they are above a limit where
// one is given. What cannot be read is not counted: the comparison tells.
func (s *source) weigh(ctx context.Context, t truth, limit *extent) (extent, error) {
	var mu sync.Mutex
	var sum extent
	err := s.survey(ctx, t, false, func(e Entry) error {
		if e.Outcome != Indexed {
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
		s.svc.log.Debug("not everything was counted", "source", s.name, "error", err)
	}
	return sum, nil
}

// onHold reports whether nothing of the source may be published.
func (s *source) onHold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held != ""
}

// refusal is the error of a request that concerns a source that is held, else
// nil.
func (s *source) refusal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == "" {
		return nil
	}
	return document.Errorf(document.TooLarge, "%s is held: %s", s.place.what(), s.held).With(acceptance(s.place.root, s.place.remote())...)
}

// undecided waits until the source was admitted or held for the first time,
// and returns its refusal.
func (s *source) undecided(ctx context.Context) error {
	select {
	case <-s.decided:
		return s.refusal()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// accept lets a source be as large as it is now, and remembers that. One
// within its limits needs nothing.
func (r *roster) accept(ctx context.Context, src *source) error {
	if src.place.kind == contract.SourceAPI {
		return nil
	}
	t, _, _, err := src.currentTruth(ctx)
	if err != nil {
		return err
	}
	found, err := src.weigh(ctx, t.glance(), nil)
	if err != nil || found.within(src.allowance()) {
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
	src.mu.Lock()
	defer src.mu.Unlock()
	src.accepted = found
	return nil
}

// crowded says how a source that grew is above its limit, "" where it is not.
func (s *source) crowded(left int) string {
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("limits: it is above the limit of %s (limits.files, limits.bytes), and %s new files are left out", s.allowance(), thousands(left))
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

package bus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Unreadable is the last message of a subject of the log that freshet cannot
// have written: it has no head, and what stood there before is gone.
type Unreadable struct {
	Stream, Subject string
	Seq             uint64
}

// unreadable notes a message that is no head. The document counts as absent
// from the stream: what the message replaced is not in the log any more. t.mu
// is held.
func (t *Table[K, H]) unreadable(k K, subject string, seq uint64, err error) {
	if len(t.unread) == 0 {
		t.log.Warn("the log holds a message that freshet did not write", "stream", t.stream, "subject", subject, "sequence", seq, "error", err)
	}
	t.unread[subject] = seq
	t.forgetLocked(k)
	if heads, ok := t.heads.(interface{ spoil(K) }); ok {
		heads.spoil(k)
	}
}

// unreadables returns what cannot be read, without asking whether it is still
// there.
func (t *Table[K, H]) unreadables() []Unreadable {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out := make([]Unreadable, 0, len(t.unread))
	for subject, seq := range t.unread {
		out = append(out, Unreadable{t.stream, subject, seq})
	}
	return out
}

// forgetUnreadable drops a message that was purged.
func (t *Table[K, H]) forgetUnreadable(u Unreadable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unread[u.Subject] == u.Seq {
		delete(t.unread, u.Subject)
	}
}

// reader is a head table of any kind.
type reader interface {
	Seen() uint64
	unreadables() []Unreadable
	forgetUnreadable(Unreadable)
	renew(born time.Time) bool
}

// recheckMost bounds the messages that are asked for one by one.
const recheckMost = 1000

// Foreign is what is in the log and cannot be read. It is safe for concurrent use.
type Foreign struct{ bus *Bus }

// ForeignOf is what is in the log and freshet did not write.
func ForeignOf(b *Bus) Foreign { return Foreign{b} }

// List returns the messages at the end of subjects that cannot be read,
// of the streams whose heads are followed, in the order of their subjects. What
// somebody has purged meanwhile is left out.
func (f Foreign) List(ctx context.Context) ([]Unreadable, error) {
	var out []Unreadable
	for stream, r := range f.bus.readers() {
		for i, u := range r.unreadables() {
			if i < recheckMost {
				_, err := f.bus.Get(ctx, stream, u.Seq)
				if errors.Is(err, ErrGone) {
					r.forgetUnreadable(u)
					continue
				}
				if err != nil {
					return nil, err
				}
			}
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(x, y Unreadable) int {
		return cmp.Or(cmp.Compare(x.Stream, y.Stream), cmp.Compare(x.Subject, y.Subject))
	})
	return out, nil
}

// Purge removes such a message from the log, and nothing that has
// replaced it.
func (f Foreign) Purge(ctx context.Context, u Unreadable) error {
	s, err := f.bus.js.Stream(ctx, u.Stream)
	if err != nil {
		return fmt.Errorf("open stream %s: %w", u.Stream, err)
	}
	if err := s.DeleteMsg(ctx, u.Seq); err != nil {
		if _, still := f.bus.Get(ctx, u.Stream, u.Seq); !errors.Is(still, ErrGone) {
			return fmt.Errorf("remove message %d of %s: %w", u.Seq, u.Stream, err)
		}
	}
	if r := f.bus.readers()[u.Stream]; r != nil {
		r.forgetUnreadable(u)
	}
	return nil
}

// Said is List as one sentence for each stream.
func (f Foreign) Said(ctx context.Context) ([]string, error) {
	all, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	byStream := map[string][]Unreadable{}
	for _, u := range all {
		byStream[u.Stream] = append(byStream[u.Stream], u)
	}
	var out []string
	for _, stream := range contract.Streams {
		if list := byStream[stream]; len(list) > 0 {
			out = append(out, fmt.Sprintf("%s holds %d messages that freshet did not write, the first on %s: the documents count as absent there, until a repair removes the messages", stream, len(list), list[0].Subject))
		}
	}
	return out, nil
}

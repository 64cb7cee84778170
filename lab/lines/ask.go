package lines

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Answer is what came for a pattern.
type Answer struct {
	Pattern
	Lines      int
	Read       int // documents
	PassedOver int
	Took       time.Duration
	RipgrepHas int
	Ripgrep    time.Duration
	// Differs says how the two differ, "" where they are the same byte for byte.
	Differs string
	// Counted says that there are more lines than an answer lists, so that what is
	// listed was compared, and the number of all.
	Counted bool
}

// deadline is far above what a question takes, so that a busy machine costs time
// and no answer.
const deadline = time.Minute

// ask asks one pattern and compares the answer with that of ripgrep.
func ask(ctx context.Context, nc *nats.Conn, rg *ripgrep, p Pattern) (Answer, error) {
	limit := 10_000
	began := time.Now()
	reply, err := client.Grep.Ask(ctx, nc, contract.GrepRequest{
		Pattern: p.Text, Fixed: p.Fixed, Limit: &limit, LineBytes: 64 << 10, DeadlineMS: int(deadline.Milliseconds()),
	})
	a := Answer{Pattern: p, Took: time.Since(began)}
	if err != nil {
		return a, fmt.Errorf("ask for %q: %w", p.Text, err)
	}
	a.Lines, a.Read, a.PassedOver, a.Counted = reply.Lines, reply.Searched, reply.PassedOver, reply.More > 0
	if rg == nil {
		return a, nil
	}
	rg.leaveOut(&reply)
	want, took, err := rg.ask(ctx, p)
	if err != nil {
		return a, err
	}
	a.RipgrepHas, a.Ripgrep = len(want), took
	if !reply.Complete {
		a.Differs = "the answer is not complete"
		return a, nil
	}
	a.Differs = differ(&reply, want)
	return a, nil
}

// differ compares an answer with what it has to be.
func differ(reply *contract.GrepReply, want []line) string {
	slices.SortFunc(want, func(a, b line) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.number, b.number))
	})
	if reply.Lines != len(want) {
		return fmt.Sprintf("%d lines, ripgrep has %d", reply.Lines, len(want))
	}
	at := map[string][]line{}
	for _, l := range want {
		at[l.path] = append(at[l.path], l)
	}
	for _, f := range reply.Files {
		name := f.Path.Raw()
		for i, l := range f.Lines {
			if i >= len(at[name]) {
				return fmt.Sprintf("%s:%d, which ripgrep does not have", name, l.Line)
			}
			is := at[name][i]
			shown := l.Text + string(l.Bytes)
			if l.Line != is.number || l.Offset != is.offset || l.From+len(shown)+l.Left != len(is.text) || shown != is.text[l.From:l.From+len(shown)] {
				return fmt.Sprintf("%s:%d at %d is %.80q, ripgrep has line %d at %d: %.80q", name, l.Line, l.Offset, shown, is.number, is.offset, is.text)
			}
		}
		if len(f.Lines) < len(at[name]) && reply.More == 0 {
			return fmt.Sprintf("%d lines of %s, ripgrep has %d", len(f.Lines), name, len(at[name]))
		}
	}
	return ""
}

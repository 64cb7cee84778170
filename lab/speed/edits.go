package speed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// editLimit is how long an edit may take before it counts as late.
const editLimit = 30 * time.Second

// shown says that a sink shows a content of a document.
type shown struct {
	sink document.Sink
	doc  document.DocID
	at   time.Time
	head contract.OutputHead
}

// watchIndexed passes on every message of INDEXED about source as it is
// published. The cancel function ends it.
func (c *instance) watchIndexed(source document.Source) (<-chan shown, func(), error) {
	msgs := make(chan *nats.Msg, 64<<10)
	sub, err := c.bus.Conn().ChanSubscribe(contract.IndexedSubject("*", "*", source, "*"), msgs)
	if err != nil {
		return nil, nil, fmt.Errorf("follow %s: %w", contract.StreamIndexed, err)
	}
	if err := c.bus.Conn().Flush(); err != nil {
		return nil, nil, fmt.Errorf("follow %s: %w", contract.StreamIndexed, err)
	}
	out := make(chan shown, 64)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case m := <-msgs:
				at := time.Now()
				head, err := contract.ParseOutputHead(m.Subject, 0, m.Header)
				if err != nil {
					continue
				}
				select {
				case out <- shown{sink: head.Sink, doc: head.Doc, at: at, head: head}:
				case <-done:
					return
				}
			case <-done:
				return
			}
		}
	}()
	return out, func() { _ = sub.Unsubscribe(); close(done); <-ended }, nil
}

// editor makes edits in a tree and waits for each.
type editor struct {
	root   string
	files  []string // relative to root
	source document.Source
	events <-chan shown
	rand   *rand.Rand
	made   int
}

// edit appends a definition to some file, and returns the time from the return
// of the last write to the arrival of INDEXED of both sinks with exactly that
// content; false when that did not happen within editLimit.
func (e *editor) edit(ctx context.Context) (time.Duration, bool, error) {
	rel := e.files[e.rand.IntN(len(e.files))]
	name := filepath.Join(e.root, rel)
	content, err := os.ReadFile(name)
	if err != nil {
		return 0, false, fmt.Errorf("edit: %w", err)
	}
	e.made++
	content = fmt.Appendf(content, "\n// edited%d is the answer of round %d.\nfunc edited%d() int { return %d }\n", e.made, e.made, e.made, e.made)
	hash, doc := document.HashOf(content), document.DocOf(document.EncodePath(filepath.ToSlash(rel)))
	if err := os.WriteFile(name, content, 0o644); err != nil {
		return 0, false, fmt.Errorf("edit: %w", err)
	}
	written := time.Now()
	limit := time.NewTimer(editLimit)
	defer limit.Stop()
	seen := map[document.Sink]time.Time{}
	for {
		select {
		case s := <-e.events:
			if s.doc != doc || s.head.Covers.At(document.Worktree).Hash != hash {
				continue
			}
			if _, again := seen[s.sink]; !again {
				seen[s.sink] = s.at
			}
			if len(seen) == len(document.Sinks) {
				last := written
				for _, at := range seen {
					if at.After(last) {
						last = at
					}
				}
				return last.Sub(written), true, nil
			}
		case <-limit.C:
			return 0, false, nil
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
}

// pause is the longest time between two edits; the real one is random, so that
// edits do not fall into step with anything.
const pause = 100 * time.Millisecond

// run makes n edits one after the other, or fewer when more says no.
func (e *editor) run(ctx context.Context, n int, more func() bool) (Spread, error) {
	var delays []time.Duration
	late := 0
	for range n {
		if !more() {
			break
		}
		d, ok, err := e.edit(ctx)
		if err != nil {
			return Spread{}, err
		}
		if ok {
			delays = append(delays, d)
		} else {
			late++
		}
		select {
		case <-time.After(time.Duration(e.rand.Int64N(int64(pause)))):
		case <-ctx.Done():
			return Spread{}, ctx.Err()
		}
	}
	return spreadOf(delays, late), nil
}

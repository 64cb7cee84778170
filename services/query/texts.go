package query

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/grep"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// readMost is how many lines are taken of the texts in the log.
const readMost = 500

// readTexts reads the texts of the log for one of the things that must stand in a
// passage, within the time of the engines. What it did not come to is said.
func readTexts(ctx context.Context, q *search) (note string, err error) {
	if q.req.Off(request.OffExact) {
		q.degradeOnce("quoted: the texts of the log were not read for " + required(q) + ", so that there may be more than is shown")
	}
	if !mayRead(q) {
		return "", nil
	}
	q.found.hasRead, q.found.read = true, nil
	ctx, cancel := q.channelTime(ctx)
	defer cancel()
	at, whole, err := linesWith(ctx, q, q.req.Reading.Must[0])
	if err != nil {
		q.service.log.Warn("texts of the log not read", "error", err)
		whole = false
	}
	if !whole {
		q.degradeOnce("quoted: not every document was read for " + required(q) + ", so that there may be more than is shown")
	}
	holders, err := q.service.plain.At(ctx, at, q.req.Keep)
	if err == nil {
		q.found.read = each(holders)
		err = judgeText(ctx, q, q.found.read)
	}
	if err != nil {
		q.degradeOnce("quoted: the log did not give the passages that hold " + required(q))
		q.service.log.Warn("passages of lines not read", "error", err)
		return "", nil
	}
	kept := q.found.read[:0]
	for _, f := range q.found.read {
		if q.found.holds[f.ID] {
			kept = append(kept, f)
		}
	}
	q.found.read = kept
	return fmt.Sprintf("%d lines read out of the log", len(at)), nil
}

// each returns the passages, each once.
func each(holders []plain.Holder) (out []candidate.Found) {
	seen := map[document.ChunkID]bool{}
	for i := range holders {
		if f := &holders[i].Found; holders[i].Line > 0 && !seen[f.ID] {
			seen[f.ID] = true
			out = append(out, *f)
		}
	}
	return out
}

// linesWith returns the lines that hold the beginning of what one of the
// alternatives asks for; whole is false where some were not looked at.
func linesWith(ctx context.Context, q *search, c reading.Clause) (at []plain.Line, whole bool, err error) {
	whole = true
	for i := range c {
		r, err := grepFor(ctx, q, &c[i])
		if err != nil {
			return at, false, err
		}
		whole = whole && r.Complete && r.More == 0
		for _, f := range r.Files {
			head, ok := q.service.bus.Files().Get(bus.FileKey{Source: f.Source, Doc: document.DocOf(f.Path), View: f.View})
			if !ok || head.Version != f.Version {
				whole = false // it has just changed
				continue
			}
			for _, l := range f.Lines {
				at = append(at, plain.Line{Head: head, Line: l.Line})
			}
		}
	}
	return at, whole, nil
}

func grepFor(ctx context.Context, q *search, a *reading.Atom) (contract.GrepReply, error) {
	limit := readMost
	// Lines are matched one at a time: the longest tells where the text may be.
	longest := ""
	for line := range strings.SplitSeq(a.Text, "\n") {
		if len(line) > len(longest) {
			longest = line
		}
	}
	lines, err := grep.New(q.service.bus, q.service.trigrams, contract.GrepRequest{
		Pattern: longest, Fixed: true, IgnoreCase: a.AnyCase || a.Is == reading.Word, Limit: &limit, LineBytes: 1,
	}, func(err error) { q.service.log.Warn("document of the log not read", "error", err) })
	if err != nil {
		return contract.GrepReply{}, err
	}
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(q.service.cfg.ChannelDeadline)
	}
	if err := lines.Run(ctx, lookedAt(&q.question), until.Add(-time.Until(until)/8)); err != nil {
		return contract.GrepReply{}, err
	}
	return lines.Reply()
}

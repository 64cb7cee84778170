package vulture

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// reading is a question for the lines of a document.
type reading struct {
	request contract.ReadRequest
	reply   contract.ReadReply
}

// readTo is how far a reading goes that does not say how far, in lines.
const readTo = 2000

// drawReading draws which lines of a document are read.
func drawReading(rng *rand.Rand, q question, at spot, view document.View, lines int, within time.Duration) *reading {
	r := contract.ReadRequest{Source: at.source, Path: at.path, View: view, Token: tokenOf(q), DeadlineMS: int(within / time.Millisecond)}
	if rng.IntN(2) == 0 {
		r.From = 1 + rng.IntN(max(lines, 1))
	}
	switch rng.IntN(3) {
	case 0:
		r.To = max(r.From, 1) + rng.IntN(40)
	case 1:
		r.Limit = 1 + rng.IntN(40)
	}
	return &reading{request: r}
}

func (d *reading) name() string { return "read" }

func (d *reading) String() string {
	r := d.request
	return fmt.Sprintf("lines %d to %d of %s, at most %d", r.From, r.To, r.Path, r.Limit)
}

func (d *reading) ask(ctx context.Context, nc *nats.Conn, a *answer) (err error) {
	d.request.Lease = a.leaseID()
	d.reply, err = client.Read.Ask(ctx, nc, d.request)
	a.reply.Token, a.reply.Degraded, a.news = d.reply.Token, d.reply.Degraded, d.reply.Lease
	return err
}

func (d *reading) spot() spot { return spot{d.request.Source, d.request.Path} }

func (d *reading) judged(j *judge, a answer) {
	j.backwards(a)
	j.count(func(r *Report) { r.Read++ })
	r := &d.reply
	if r.Path != d.request.Path || r.Source != d.request.Source {
		j.add(a.violation(Ghost, d.spot(), "the document that was asked for", d.describe()))
		return
	}
	j.showsOf(a, d.spot(), r.Version, d.describe(), d.is)
}

// is reports whether an answer is what a content has in the lines that were asked
// for, and says of the whole what is so.
func (d *reading) is(content []byte) bool {
	lines := linesOf(content)
	from, to := max(d.request.From, 1), len(lines)
	if d.request.To > 0 {
		to = min(to, d.request.To)
	}
	limit := readTo
	if d.request.Limit > 0 {
		limit = d.request.Limit
	}
	r, next := &d.reply, 0
	if last := from + limit - 1; last < to {
		to, next = last, last+1
	}
	if r.Size != int64(len(content)) || r.Total != len(lines) || r.Hash != document.HashOf(content) {
		return false
	}
	if len(content) == 0 {
		return r.From == 0 && r.To == 0 && r.Text == "" && r.Next == 0
	}
	return from <= to && r.From == from && r.To == to && r.Next == next && r.Text == string(bytes.Join(lines[from-1:to], nil))
}

// refused: a document that is not there, and a line behind its end, are told so.
func (d *reading) refused(j *judge, a answer) bool {
	if document.KindOf(a.err) != document.InvalidRequest {
		return j.saidGone(a, d.spot())
	}
	contents, _ := j.world.possible(d.spot(), max(a.floor, a.token.Seq), until, a.arrived)
	for _, c := range contents {
		if max(len(linesOf(c)), 1) < d.request.From {
			return true
		}
	}
	return false
}

func (d *reading) given(answer) []leaf {
	r := &d.reply
	return []leaf{{at: d.spot(), version: r.Version, start: r.From, end: r.To, text: r.Text}}
}

func (d *reading) describe() string {
	r := &d.reply
	text := r.Text
	if len(text) > 160 {
		text = text[:160] + "…"
	}
	return fmt.Sprintf("%s:%d-%d of %d lines and %d bytes (%.12s), version %d, next %d: %q", r.Path, r.From, r.To, r.Total, r.Size, r.Hash, r.Version, r.Next, text)
}

// linesOf are the lines of a content, each with its line break.
func linesOf(content []byte) [][]byte {
	lines := bytes.SplitAfter(content, []byte("\n"))
	if n := len(lines); len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines
}

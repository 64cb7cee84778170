package vulture

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// relating is a question for what has to do with a passage.
type relating struct {
	request contract.RelatedRequest
	reply   contract.RelatedReply
}

// drawRelating draws what is asked of which line.
func drawRelating(rng *rand.Rand, q question, at spot, view document.View, content []byte, sources []document.Source, within time.Duration) *relating {
	r := contract.RelatedRequest{
		Source: at.source, Path: at.path, View: view, Line: drawLine(rng, content), Limit: 10, Text: contract.TextFull,
		Filter: contract.Filter{Sources: sources}, Token: tokenOf(q), DeadlineMS: int(within / time.Millisecond),
	}
	if rng.IntN(2) == 0 {
		r.Relations = contract.Relations[:3] // what is near fills the answer
	}
	return &relating{request: r}
}

// drawLine draws a line of a document, half of the time one that defines or calls
// something, if there is any.
func drawLine(rng *rand.Rand, content []byte) int {
	var of []int
	lines := linesOf(content)
	for i, line := range lines {
		if defined.Match(line) || called.Match(line) {
			of = append(of, i+1)
		}
	}
	if len(of) > 0 && rng.IntN(2) == 0 {
		return of[rng.IntN(len(of))]
	}
	return 1 + rng.IntN(max(len(lines), 1))
}

func (d *relating) name() string { return "related" }

func (d *relating) String() string {
	return fmt.Sprintf("related to line %d of %s, %v", d.request.Line, d.request.Path, d.request.Relations)
}

func (d *relating) ask(ctx context.Context, nc *nats.Conn, a *answer) (err error) {
	d.request.Lease = a.leaseID()
	d.reply, err = client.Related.Ask(ctx, nc, d.request)
	r := &d.reply
	a.reply.Token, a.reply.Degraded, a.reply.Pending, a.reply.Failed, a.news = r.Token, r.Degraded, r.Pending, r.Failed, r.Lease
	for i := range r.Related {
		a.reply.Hits = append(a.reply.Hits, r.Related[i].Passage)
	}
	return err
}

func (d *relating) spot() spot { return spot{d.request.Source, d.request.Path} }

func (d *relating) judged(j *judge, a answer) {
	j.freshness(a)
	j.count(func(r *Report) { r.Related++ })
	of := &d.reply.Of
	if of.Path != d.request.Path || of.Source != d.request.Source {
		j.add(a.violation(Ghost, d.spot(), "the document that was asked for", fmt.Sprintf("%s:%s", of.Source, of.Path)))
		return
	}
	j.showsOf(a, d.spot(), of.Version, fmt.Sprintf("lines %d to %d of version %d, which define %v", of.StartLine, of.EndLine, of.Version, of.Names), func(c []byte) bool {
		return of.StartLine >= 1 && of.EndLine <= len(linesOf(c)) && !slices.ContainsFunc(of.Names, func(name string) bool { return !bytes.Contains(c, []byte(name[strings.LastIndexByte(name, '.')+1:])) })
	})
	seen := map[string]bool{}
	for i := range d.reply.Related {
		one := &d.reply.Related[i]
		h := one.Passage
		if !j.ours(h.Source, h.Path) {
			continue
		}
		j.count(func(r *Report) { r.Relatives++ })
		key := fmt.Sprintf("%s:%s:%d-%d:%s", h.Source, h.Path, h.StartLine, h.EndLine, h.Text)
		if seen[key] {
			j.add(a.violation(Duplicate, spot{h.Source, h.Path}, "each passage once", describe(h)))
		}
		seen[key] = true
		j.hit(a, h)
		for _, w := range one.Why {
			if last := w.Name[strings.LastIndexAny(w.Name, ".:>")+1:]; !strings.Contains(h.Text, last) {
				j.add(a.violation(Stale, spot{h.Source, h.Path}, fmt.Sprintf("a passage with %q, as it %s that", last, w.Relation), describe(h)))
			}
		}
	}
	d.missing(j, a)
}

// refused: a document that is not there, and a line that no passage has, are told so.
func (d *relating) refused(j *judge, a answer) bool {
	if document.KindOf(a.err) != document.InvalidRequest {
		return j.saidGone(a, d.spot())
	}
	contents, _ := j.world.possible(d.spot(), max(a.floor, a.token.Seq), until, a.arrived)
	return slices.ContainsFunc(contents, func(c []byte) bool {
		lines := linesOf(c)
		return len(bytes.TrimSpace(bytes.Join(lines[min(d.request.Line-1, len(lines)):], nil))) == 0
	})
}

func (d *relating) given(answer) []leaf {
	out := make([]leaf, len(d.reply.Related))
	for i := range out {
		h := &d.reply.Related[i].Passage
		out[i] = leaf{at: spot{h.Source, h.Path}, version: h.Version, start: h.StartLine, end: h.EndLine, text: h.Text}
	}
	return out
}

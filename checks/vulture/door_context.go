package vulture

import (
	"bytes"
	"context"
	"encoding/json"
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

// packed is a question that wants a text for a model.
type packed struct {
	request contract.ContextRequest
	reply   contract.ContextReply
	// texts are what the text has of each passage, by its number.
	texts map[int]string
}

// drawPacked draws how a question's passages are to be packed.
func drawPacked(rng *rand.Rand, q question, sources []document.Source, within time.Duration) *packed {
	r := contract.ContextRequest{Query: q.asked(), Format: contract.FormatJSON, TopK: 10 + rng.IntN(30), Token: tokenOf(q), DeadlineMS: int(within / time.Millisecond)}
	r.Filter.Sources = sources
	r.Filter.Paths, r.Filter.Languages = q.options.Filter.Paths, q.options.Filter.Languages
	r.Alone = rng.IntN(2) == 0
	r.MaxTokens = []int{200, 2000, 30_000}[rng.IntN(3)]
	if rng.IntN(3) == 0 {
		r.Select = contract.SelectMMR
	}
	return &packed{request: r}
}

func (d *packed) name() string { return "context" }

func (d *packed) String() string {
	r := d.request
	return fmt.Sprintf("%q packed into %d tokens, %d at most, alone %t, select %q, filter %v %v", r.Query, r.MaxTokens, r.TopK, r.Alone, r.Select, r.Filter.Paths, r.Filter.Languages)
}

func (d *packed) ask(ctx context.Context, nc *nats.Conn, a *answer) (err error) {
	d.request.Lease = a.leaseID()
	d.reply, err = client.Context.Ask(ctx, nc, d.request)
	r := &d.reply
	a.reply.Token, a.reply.Degraded, a.reply.Pending, a.reply.Failed, a.news = r.Token, r.Degraded, r.Pending, r.Failed, r.Lease
	return err
}

// above is what parts the line that a passage is an inner part of from its text.
const above = "\n…\n"

func (d *packed) judged(j *judge, a answer) {
	j.freshness(a)
	if err := d.unpack(); err != nil {
		j.add(a.violation(Failure, a.at, "a text that is JSON, with every passage", err.Error()))
		return
	}
	if r := &d.reply; r.Tokens > d.request.MaxTokens {
		j.add(a.violation(Failure, a.at, fmt.Sprintf("%d tokens at most", d.request.MaxTokens), fmt.Sprintf("%d", r.Tokens)))
	}
	whole := d.reply.LeftOut == 0
	for _, p := range d.reply.Passages {
		whole = whole && !p.Cut
		if !j.ours(p.Source, p.Path) {
			continue
		}
		j.count(func(r *Report) { r.Packed++ })
		h := contract.Hit{Source: p.Source, View: p.View, Path: p.Path, StartLine: p.StartLine, EndLine: p.EndLine, Version: p.Version, ID: p.ID, Copies: p.Copies, Text: d.texts[p.N]}
		a.reply.Hits = append(a.reply.Hits, h)
		j.showsOf(a, spot{p.Source, p.Path}, p.Version, describe(h), func(c []byte) bool {
			return p.EndLine <= len(linesOf(c)) && (p.Cut || standsTrimmed(c, h))
		})
	}
	// Of several words, and of what does not fit, the best is no promise.
	if whole && a.text == "" {
		a.options.K = d.request.TopK
		j.missing(a)
	}
}

// standsTrimmed reports whether a text without the line breaks at its end stands in
// the lines that it names.
func standsTrimmed(content []byte, h contract.Hit) bool {
	of := linesOf(content)
	lines := of[h.StartLine-1 : h.EndLine]
	text := h.Text
	all := bytes.TrimRight(bytes.Join(lines, nil), "\n")
	if h.EndLine == len(of) && !bytes.HasSuffix(content, []byte("\n")) {
		// Blank space with which a file ends that is being written may be in its passage or
		// not: a cut inside a line keeps it, one at a line's end does not.
		text, all = strings.TrimRight(text, " \t"), bytes.TrimRight(all, " \t")
	}
	return text != "" && bytes.HasSuffix(all, []byte(text)) && len(all)-len(text) < len(lines[0])
}

// unpack reads what the text has of each passage.
func (d *packed) unpack() error {
	d.texts = map[int]string{}
	if d.reply.Text == "" {
		return nil
	}
	var is struct {
		Passages []struct {
			N    int
			Text string
		}
	}
	if err := json.Unmarshal([]byte(d.reply.Text), &is); err != nil {
		return fmt.Errorf("%w: %.200q", err, d.reply.Text)
	}
	for _, p := range is.Passages {
		if _, text, found := strings.Cut(p.Text, above); found {
			p.Text = text
		}
		d.texts[p.N] = p.Text
	}
	for _, p := range d.reply.Passages {
		if !slices.Contains(d.reply.Order, p.N) || d.texts[p.N] == "" {
			return fmt.Errorf("passage %d is not in the text", p.N) //nolint:err113 // it is shown alone
		}
	}
	return nil
}

func (d *packed) refused(*judge, answer) bool { return false }

func (d *packed) given(answer) []leaf {
	var out []leaf
	for _, p := range d.reply.Passages {
		l := leaf{at: spot{p.Source, p.Path}, version: p.Version, start: p.StartLine, end: p.EndLine, text: d.texts[p.N], variants: 2}
		if p.Cut || strings.Count(l.text, "\n") != p.EndLine-p.StartLine {
			l.text = ""
		}
		out = append(out, l)
	}
	return out
}

package vulture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// lined is a question asked for lines: what is asked for, and what came.
type lined struct {
	request contract.GrepRequest
	reply   contract.GrepReply
}

// String is what is asked for beside the pattern.
func (l *lined) String() string {
	r := l.request
	return fmt.Sprintf(" fixed %t word %t ignore_case %t invert %t show %q filter %v %v", r.Fixed, r.Word, r.IgnoreCase, r.Invert, r.Show, r.Filter.Paths, r.Filter.Languages)
}

// maxListed is how many lines such a question asks for: the most there is, so that
// what is not listed is not there.
const maxListed = 10_000

// drawLines draws how a question's words are asked for as lines: as a text, or as
// an expression that says something of what stands around them or of a part of
// them.
func drawLines(rng *rand.Rand, q question, sources []document.Source) *lined {
	limit := maxListed
	r := contract.GrepRequest{Pattern: q.word, Limit: &limit, Token: q.token.String()}
	r.Filter.Sources = sources
	if q.latest {
		r.Token = "latest"
	}
	if words := strings.Fields(q.word); len(words) > 1 {
		r.Pattern = words[0] + ".*" + words[len(words)-1]
		q.word = words[0]
	}
	switch rng.IntN(10) {
	case 0, 1, 2:
		r.Fixed = r.Pattern == q.word
	case 3:
		r.Word = true
	case 4:
		r.Pattern, r.IgnoreCase = strings.ToUpper(q.word), true
	case 5:
		r.Pattern = "^(func|def|const|- The|The) " + q.word + `\b`
	case 6:
		r.Pattern = q.word[:len(q.word)/2] + "[a-z]+" + q.word[len(q.word)-1:]
	case 7:
		r.Pattern = q.word + "|" + common[rng.IntN(len(common))] + " " + common[rng.IntN(len(common))]
	case 8:
		r.Pattern, r.Show = q.word+".?$|"+q.word+`\W`, contract.GrepCounts
	case 9:
		r.Show = contract.GrepFiles
		if rng.IntN(4) == 0 {
			r.Show, r.Invert = contract.GrepCounts, true
		}
	}
	r.Filter.Paths, r.Filter.Languages = q.options.Filter.Paths, q.options.Filter.Languages
	return &lined{request: r}
}

// expression is what a line has to match by the plainest of readings.
func (l *lined) expression() *regexp.Regexp {
	text := l.request.Pattern
	if l.request.Fixed {
		text = regexp.QuoteMeta(text)
	}
	if l.request.Word {
		text = `\b(?:` + text + `)\b` // the words that are asked for are of letters
	}
	if l.request.IgnoreCase {
		text = `(?i)` + text
	}
	return regexp.MustCompile(text)
}

// matching returns the lines of a content that are asked for, as an answer shows
// them.
func (l *lined) matching(is *regexp.Regexp, content []byte) (out []contract.GrepLine) {
	offset := 0
	for i, line := range strings.SplitAfter(string(content), "\n") {
		text := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line != "" && is.MatchString(text) != l.request.Invert {
			out = append(out, contract.GrepLine{Line: i + 1, Offset: int64(offset), Text: text})
		}
		offset += len(line)
	}
	return out
}

// askLines sends a question for lines and waits for the answer. The error is
// ctx's only.
func (v *Vulture) askLines(ctx context.Context, q question, l *lined) (answer, error) {
	a := answer{question: q, lines: l, floor: v.world.acknowledged()}
	deadline := v.cfg.Deadline
	if q.deadline > 0 {
		deadline = q.deadline
	}
	l.request.Lease = a.leaseID()
	l.request.DeadlineMS = int(deadline / time.Millisecond)
	a.sent = time.Now()
	actx, cancel := context.WithTimeout(ctx, 2*deadline)
	defer cancel()
	l.reply, a.err = client.Grep.Ask(actx, v.bus.Conn(), l.request)
	a.reply.Token, a.reply.Degraded, a.news = l.reply.Token, l.reply.Degraded, l.reply.Lease
	a.arrived = time.Now()
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	a.underway = v.world.underway()
	return a, nil
}

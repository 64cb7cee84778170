package exact

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// answerLimit bounds one answer. It is far above the default, so that a busy
// machine costs time and no figure.
const answerLimit = 30 * time.Second

// Spot is a line of a file.
type Spot struct {
	Path string
	Line int // from 1
}

// Question is asked with Text alone.
type Question struct {
	Text string
	// Right are the lines one of which the right passage holds.
	Right []Spot
	// Symbol is what the right hit must be titled by, "" for anything.
	Symbol string
	// Shown is what its excerpt must have, "" for anything.
	Shown string

	public bool // it is defined elsewhere than in tests and in what others wrote
}

// Answer is what came.
type Answer struct {
	Question *Question
	Rank     int // of the first right hit, from 1; 0 for none among ten
	// First is the first hit, as PATH:LINE SYMBOL.
	First string
	// Symbol and Shown say whether the right hit is titled and shows as asked.
	Symbol, Shown bool
	// Grepped says that ripgrep finds the text in the right line alone.
	Grepped  bool
	Degraded []string
}

// draw takes n of the questions by a seed, all of them where there are fewer.
func draw(all []Question, n int, seed uint64) []Question {
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a draw that can be made again
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// ask asks one question after the other.
func ask(ctx context.Context, nc *nats.Conn, questions []Question) ([]Answer, error) {
	k := 10
	var answers []Answer
	for i := range questions {
		q := &questions[i]
		reply, err := client.Search.Ask(ctx, nc, contract.SearchRequest{Query: q.Text, K: &k, DeadlineMS: int(answerLimit.Milliseconds())})
		if err != nil {
			return nil, err
		}
		a := q.judge(reply.Hits)
		a.Degraded = reply.Degraded
		answers = append(answers, a)
	}
	return answers, nil
}

// judge finds the first right hit.
func (q *Question) judge(hits []contract.Hit) Answer {
	a := Answer{Question: q}
	if len(hits) > 0 {
		a.First = describe(&hits[0])
	}
	for i := range hits {
		h := &hits[i]
		if !q.right(h) {
			continue
		}
		a.Rank = i + 1
		a.Symbol = q.Symbol == "" || lastOf(strings.ReplaceAll(h.Symbol, "#", ".")) == q.Symbol
		a.Shown = strings.Contains(h.Text, q.Shown)
		break
	}
	return a
}

func (q *Question) right(h *contract.Hit) bool {
	for _, s := range q.Right {
		if h.Path.Raw() == s.Path && h.StartLine <= s.Line && s.Line <= h.EndLine {
			return true
		}
		for i := range h.Copies {
			if c := &h.Copies[i]; c.Path.Raw() == s.Path && c.StartLine <= s.Line && s.Line <= c.EndLine {
				return true
			}
		}
	}
	return false
}

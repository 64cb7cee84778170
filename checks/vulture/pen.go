package vulture

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// pen is what everybody writes with: it notes each write before it happens,
// gets its token, and has the readers ask about it. It belongs to one
// goroutine.
type pen struct {
	v      *Vulture
	ground ground
	rng    *rand.Rand
}

// change is what a write means for questions.
type change struct {
	added, removed []string
	kept           []string // words of the file that the added ones stand in
	to             string   // name of the file that the added words stand in, if not that of the first effect
	// announce says what the deployment is told; by default the effects'
	// paths.
	announce contract.Announce
	// always tells the deployment in any case.
	always bool
}

// do carries out a write and gets its token, or leaves it to be seen.
func (p *pen) do(ctx context.Context, effects []effect, c change, write func() error) error {
	token, err := p.write(ctx, effects, c, write)
	if err == nil && !token.IsZero() {
		p.ask(effects, c, token)
	}
	return err
}

func (p *pen) write(ctx context.Context, effects []effect, c change, write func() error) (token document.Token, err error) {
	announced := p.rng.Float64() < p.v.cfg.Announced || c.always
	op := p.v.world.begin(announced, effects...)
	// The judge waits for it, however it ends.
	defer func() { p.v.world.finish(op, token) }()
	if err := write(); err != nil {
		return token, err
	}
	p.v.world.written(op)
	if !announced {
		return token, nil
	}
	what := c.announce
	if what.Repository == "" && what.Paths == nil {
		for _, e := range effects {
			what.Paths = append(what.Paths, p.ground.file(strings.TrimPrefix(string(e.at.path), string(p.ground.prefix))))
		}
		slices.Sort(what.Paths)
		what.Paths = slices.Compact(what.Paths)
	}
	return p.announce(ctx, what)
}

// announce tells the deployment of a write. The token is zero where nobody
// answers and the configuration allows for that.
func (p *pen) announce(ctx context.Context, what contract.Announce) (document.Token, error) {
	actx, cancel := context.WithTimeout(ctx, 2*p.v.cfg.Deadline)
	defer cancel()
	rep, err := client.Announce.Ask(actx, p.v.bus.Conn(), what)
	switch {
	case err == nil:
		p.v.judge.count(func(r *Report) { r.Announced++ })
		return rep.Token, nil
	case ctx.Err() != nil:
		return document.Token{}, ctx.Err()
	case p.v.cfg.Interrupted:
		p.v.cfg.Log.Info("announcement failed", "paths", what.Paths, "repository", what.Repository, "error", err)
		p.v.judge.count(func(r *Report) { r.Errors++ })
		return document.Token{}, nil
	}
	p.v.judge.count(func(r *Report) { r.Errors++ })
	p.v.judge.add(Violation{Kind: Failure, Source: p.ground.Source, Path: document.Path(strings.Join(what.Paths, " ")), At: time.Now(),
		Expected: "a token for the announced write", Seen: err.Error()})
	return document.Token{}, nil
}

// ask hands the readers what is most likely to be answered wrong now: words
// that have just gone, which an index may still hold, and words that have just
// come.
func (p *pen) ask(effects []effect, c change, token document.Token) {
	var about spot
	if len(effects) > 0 {
		about = effects[p.rng.IntN(len(effects))].at
	}
	if n := len(c.removed); n > 0 {
		p.v.hot.push(question{class: askGone, word: c.removed[p.rng.IntN(n)], about: about})
		p.v.hot.push(question{class: askGoneToken, word: c.removed[p.rng.IntN(n)], about: about, token: token, since: time.Now()})
	}
	if n := len(c.added); n > 0 {
		target := p.ground.spot(c.to)
		if c.to == "" {
			for _, e := range effects {
				if e.content != nil {
					target = e.at
				}
			}
		}
		p.v.hot.push(question{class: askToken, word: c.added[p.rng.IntN(n)], at: target, about: target, token: token, since: time.Now()})
		p.v.hot.push(p.beside(question{word: c.added[p.rng.IntN(n)], at: target, about: about, token: token, since: time.Now()}, c.kept))
	}
}

// beside asks for a new word in one breath with what did not change: names of the
// same file, words of its head, or such that many files have. Asked is while the
// new word may be pending: without a token, or in haste.
func (p *pen) beside(q question, kept []string) question {
	switch n := p.rng.IntN(4); {
	case n == 0:
	case n == 1 || len(kept) == 0:
		q.text = plainQuery(p.rng) + " window " + q.word
	default:
		q.also = kept[p.rng.IntN(len(kept))]
		q.text = q.also + "() " + q.word
	}
	switch p.rng.IntN(3) {
	case 0:
		q.class = askBeside
	case 1:
		q.class, q.token = askNow, document.Token{}
	default:
		q.class, q.deadline = askInHaste, time.Duration(20+p.rng.IntN(200))*time.Millisecond
	}
	return q
}

// rest pauses between two writes: between nothing and twice the mean, at times
// not at all. It is false when stop was closed meanwhile.
func (p *pen) rest(ctx context.Context, stop <-chan struct{}) (bool, error) {
	pause := time.Duration(p.rng.Float64() * 2 * float64(p.v.cfg.Pace))
	if p.rng.IntN(5) == 0 {
		pause = 0
	}
	select {
	case <-time.After(pause):
	case <-stop:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
	select {
	case <-stop:
		return false, nil
	default:
		return true, nil
	}
}

// count adds to the report what was written.
func (p *pen) count(name string) {
	p.v.judge.count(func(r *Report) { r.Writes[name]++ })
}

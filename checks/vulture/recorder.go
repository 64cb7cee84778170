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

// recorder is what everybody writes with: it notes each write before it happens,
// gets its token, and has the readers ask about it. It belongs to one
// goroutine.
type recorder struct {
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
func (rec *recorder) do(ctx context.Context, effects []effect, c change, write func() error) error {
	token, err := rec.write(ctx, effects, c, write)
	if err == nil && !token.IsZero() {
		rec.ask(effects, c, token)
	}
	return err
}

func (rec *recorder) write(ctx context.Context, effects []effect, c change, write func() error) (token document.Token, err error) {
	announced := rec.rng.Float64() < rec.v.cfg.Announced || c.always
	op := rec.v.world.begin(announced, effects...)
	// The judge waits for it, however it ends.
	defer func() { rec.v.world.finish(op, token) }()
	if err := write(); err != nil {
		return token, err
	}
	rec.v.world.written(op)
	if !announced {
		return token, nil
	}
	what := c.announce
	if what.Repository == "" && what.Paths == nil {
		for _, e := range effects {
			what.Paths = append(what.Paths, rec.ground.file(strings.TrimPrefix(string(e.at.path), string(rec.ground.prefix))))
		}
		slices.Sort(what.Paths)
		what.Paths = slices.Compact(what.Paths)
	}
	return rec.announce(ctx, what)
}

// announce tells the deployment of a write. The token is zero where nobody
// answers and the configuration allows for that.
func (rec *recorder) announce(ctx context.Context, what contract.Announce) (document.Token, error) {
	actx, cancel := context.WithTimeout(ctx, 2*rec.v.cfg.Deadline)
	defer cancel()
	rep, err := client.Announce.Ask(actx, rec.v.bus.Conn(), what)
	switch {
	case err == nil:
		rec.v.judge.count(func(r *Report) { r.Announced++ })
		return rep.Token, nil
	case ctx.Err() != nil:
		return document.Token{}, ctx.Err()
	case rec.v.cfg.Interrupted:
		rec.v.cfg.Log.Info("announcement failed", "paths", what.Paths, "repository", what.Repository, "error", err)
		rec.v.judge.count(func(r *Report) { r.Errors++ })
		return document.Token{}, nil
	}
	rec.v.judge.count(func(r *Report) { r.Errors++ })
	rec.v.judge.add(Violation{Kind: Failure, Source: rec.ground.Source, Path: document.Path(strings.Join(what.Paths, " ")), At: time.Now(),
		Expected: "a token for the announced write", Seen: err.Error()})
	return document.Token{}, nil
}

// ask hands the readers what is most likely to be answered wrong now: words
// that have just gone, which an index may still hold, and words that have just
// come.
func (rec *recorder) ask(effects []effect, c change, token document.Token) {
	var about spot
	if len(effects) > 0 {
		about = effects[rec.rng.IntN(len(effects))].at
	}
	if n := len(c.removed); n > 0 {
		rec.v.hot.push(question{class: askGone, word: c.removed[rec.rng.IntN(n)], about: about})
		rec.v.hot.push(question{class: askGoneToken, word: c.removed[rec.rng.IntN(n)], about: about, token: token, since: time.Now()})
	}
	if n := len(c.added); n > 0 {
		target := rec.ground.spot(c.to)
		if c.to == "" {
			for _, e := range effects {
				if e.content != nil {
					target = e.at
				}
			}
		}
		rec.v.hot.push(question{class: askToken, word: c.added[rec.rng.IntN(n)], at: target, about: target, token: token, since: time.Now()})
		rec.v.hot.push(rec.beside(question{word: c.added[rec.rng.IntN(n)], at: target, about: about, token: token, since: time.Now()}, c.kept))
	}
}

// beside asks for a new word in one breath with what did not change: names of the
// same file, words of its head, or such that many files have. Asked is while the
// new word may be pending: without a token, or in haste.
func (rec *recorder) beside(q question, kept []string) question {
	switch n := rec.rng.IntN(4); {
	case n == 0:
	case n == 1 || len(kept) == 0:
		q.text = plainQuery(rec.rng) + " window " + q.word
	default:
		q.also = kept[rec.rng.IntN(len(kept))]
		q.text = q.also + "() " + q.word
	}
	switch rec.rng.IntN(3) {
	case 0:
		q.class = askBeside
	case 1:
		q.class, q.token = askNow, document.Token{}
	default:
		q.class, q.deadline = askInHaste, time.Duration(20+rec.rng.IntN(200))*time.Millisecond
	}
	return q
}

// rest pauses between two writes: between nothing and twice the mean, at times
// not at all. It is false when stop was closed meanwhile.
func (rec *recorder) rest(ctx context.Context, stop <-chan struct{}) (bool, error) {
	pause := time.Duration(rec.rng.Float64() * 2 * float64(rec.v.cfg.Pace))
	if rec.rng.IntN(5) == 0 {
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
func (rec *recorder) count(name string) {
	rec.v.judge.count(func(r *Report) { r.Writes[name]++ })
}

package vulture

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// maxFiles is how many files a writer keeps.
const maxFiles = 40

// writer changes files in a folder of its own. It belongs to one goroutine.
type writer struct {
	v      *Vulture
	author author
	rng    *rand.Rand
	home   string // name of its folder below Dir
	serial int    // of names
	files  map[string]draft
	gone   map[string]draft   // deleted files
	former map[string][]draft // what files held before
}

func newWriter(v *Vulture, i int) *writer {
	rng := rand.New(rand.NewPCG(v.cfg.Seed, uint64(i)))
	return &writer{v: v, rng: rng, home: fmt.Sprintf("w%d", i),
		author: author{rng: rng, words: words{rng: rng, base: i * wordsPerWriter}},
		files:  map[string]draft{}, gone: map[string]draft{}, former: map[string][]draft{}}
}

// run writes until stop is closed. What is begun is finished.
func (w *writer) run(ctx context.Context, stop <-chan struct{}) error {
	for {
		if err := w.step(ctx); err != nil {
			return err
		}
		// A pause between nothing and twice the mean, at times none at all.
		pause := time.Duration(w.rng.Float64() * 2 * float64(w.v.cfg.Pace))
		if w.rng.IntN(5) == 0 {
			pause = 0
		}
		select {
		case <-time.After(pause):
		case <-stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-stop:
			return nil
		default:
		}
	}
}

func (w *writer) step(ctx context.Context) error {
	if len(w.files) < 4 {
		return w.count("create", w.create(ctx))
	}
	total := 0
	for _, op := range operations {
		total += op.weight
	}
	n := w.rng.IntN(total)
	for _, op := range operations {
		if n -= op.weight; n < 0 {
			if err := op.do(w, ctx); err != nil {
				return fmt.Errorf("vulture: %s: %w", op.name, err)
			}
			return w.count(op.name, nil)
		}
	}
	return nil
}

func (w *writer) count(name string, err error) error {
	if err == nil {
		w.v.judge.count(func(r *Report) { r.Writes[name]++ })
	}
	return err
}

// pick returns a random name out of a map of files. Names are sorted first, so
// that the seed alone decides.
func (w *writer) pick(of map[string]draft) string {
	names := slices.Sorted(maps.Keys(of))
	return names[w.rng.IntN(len(names))]
}

// change is what a write means for questions.
type change struct {
	added, removed []string
	to             string   // path that the added words stand in, if not that of the first effect
	announce       []string // instead of the effects' paths
}

// do carries out a write and asks for its token, or leaves it to be seen.
func (w *writer) do(ctx context.Context, effects []effect, c change, write func() error) error {
	announced := w.rng.Float64() < w.v.cfg.Announced
	op := w.v.world.begin(announced, effects...)
	if err := write(); err != nil {
		return err
	}
	w.v.world.written(op)
	var token document.Token
	if announced {
		paths := c.announce
		if paths == nil {
			for _, e := range effects {
				paths = append(paths, strings.TrimPrefix(string(e.path), string(w.v.prefix)))
			}
			slices.Sort(paths)
			paths = slices.Compact(paths)
		}
		var err error
		if token, err = w.announce(ctx, paths); err != nil {
			return err
		}
	}
	w.v.world.finish(op, token)
	if !token.IsZero() {
		w.ask(effects, c, token)
	}
	return nil
}

// announce tells the deployment of a write. The token is zero where nobody
// answers and the configuration allows for that.
func (w *writer) announce(ctx context.Context, paths []string) (document.Token, error) {
	for i, p := range paths {
		paths[i] = w.file(p)
	}
	actx, cancel := context.WithTimeout(ctx, 2*w.v.cfg.deadline())
	defer cancel()
	rep, err := bus.Call[contract.Announce, contract.AnnounceReply](actx, w.v.bus.Conn(), contract.SubjectAnnounce, contract.Announce{Paths: paths})
	switch {
	case err == nil:
		w.v.judge.count(func(r *Report) { r.Announced++ })
		return rep.Token, nil
	case ctx.Err() != nil:
		return document.Token{}, ctx.Err()
	case w.v.cfg.Interrupted:
		w.v.cfg.Log.Info("announcement failed", "paths", paths, "error", err)
		w.v.judge.count(func(r *Report) { r.Errors++ })
		return document.Token{}, nil
	}
	w.v.judge.add(Violation{Kind: Failure, Path: document.Path(strings.Join(paths, " ")), Expected: "a token for the announced paths", Seen: err.Error()})
	return document.Token{}, nil
}

// ask hands the readers what is most likely to be answered wrong now: words
// that have just gone, which an index may still hold, and words that have just
// come.
func (w *writer) ask(effects []effect, c change, token document.Token) {
	if n := len(c.removed); n > 0 {
		w.v.heat(question{class: askGone, word: c.removed[w.rng.IntN(n)]})
		w.v.heat(question{class: askGoneToken, word: c.removed[w.rng.IntN(n)], token: token, at: time.Now()})
	}
	if n := len(c.added); n > 0 {
		target := w.v.prefix + document.Path(c.to)
		if c.to == "" {
			for _, e := range effects {
				if e.content != nil {
					target = e.path
				}
			}
		}
		w.v.heat(question{class: askToken, word: c.added[w.rng.IntN(n)], path: target, token: token, at: time.Now()})
	}
}

// heat queues a question for the next free reader; where readers do not keep
// up, the oldest one falls away.
func (v *Vulture) heat(q question) {
	for {
		select {
		case v.hot <- q:
			return
		default:
		}
		select {
		case <-v.hot:
		default:
		}
	}
}

// without returns the words of a that do not stand in b.
func without(a, b draft) []string {
	return slices.DeleteFunc(a.words(), func(word string) bool { return slices.Contains(b.words(), word) })
}

func (w *writer) path(name string) document.Path { return w.v.prefix + document.Path(name) }

func (w *writer) file(name string) string {
	return filepath.Join(w.v.cfg.Dir, filepath.FromSlash(name))
}

func (w *writer) parent(name string) error { return os.MkdirAll(filepath.Dir(w.file(name)), 0o755) }

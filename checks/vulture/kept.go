package vulture

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// keptPlain and keptWords are how many questions are kept of common words, which
	// much is told of, and of a word each that is still to be written.
	keptPlain, keptWords = 2, 12
	// keptRelevance is so little that the one passage with a word has it.
	keptRelevance = .01
	// toldWithin is how long what is searchable may go untold at rest, where it is not
	// the time that is judged.
	toldWithin = 30 * time.Second
)

// keeping are the questions that a vulture keeps, and what it is told of them. It is
// safe for concurrent use.
type keeping struct {
	v     *Vulture
	words map[string]string // that are asked for, by the id of the question; none for common ones
	asked map[string]string // by id
	heard sync.WaitGroup
	end   context.CancelFunc

	mu   sync.Mutex
	told map[toldOf]bool
	by   map[string]int // how often something was told of a question
	more chan struct{}  // closed and replaced when something was told
}

// toldOf is what a question is told once.
type toldOf struct {
	id      string
	at      spot
	view    document.View
	version document.Version
}

// keep keeps questions, and listens to what is told of them until it is closed. A
// deployment that is down at the moment keeps none.
func (v *Vulture) keep(ctx context.Context) (*keeping, error) {
	rng := rand.New(rand.NewPCG(v.cfg.Seed, 2000))
	words := words{rng: rng, base: maxWriters * wordsPerWriter}
	listening, end := context.WithCancel(context.WithoutCancel(ctx))
	k := &keeping{v: v, words: map[string]string{}, asked: map[string]string{}, end: end, told: map[toldOf]bool{}, by: map[string]int{}, more: make(chan struct{})}
	for i := range keptPlain + keptWords {
		text := plainQuery(rng)
		if i >= keptPlain {
			text = words.unique()
		}
		kept, err := client.AddWatch.Ask(ctx, v.bus.Conn(), contract.WatchAdd{Question: &contract.StandingQuestion{
			Query: text, Filter: contract.Filter{Sources: v.sources}, MinRelevance: keptRelevance,
		}})
		if err != nil && v.cfg.Interrupted && ctx.Err() == nil {
			continue
		}
		if err != nil {
			k.close()
			return nil, err
		}
		k.asked[kept.ID] = text
		if i >= keptPlain {
			k.words[kept.ID] = text
		}
		heard := make(chan *nats.Msg, 1024)
		sub, err := v.bus.Conn().ChanSubscribe(kept.Subject, heard)
		if err != nil {
			k.close()
			return nil, err
		}
		k.heard.Go(func() { k.listen(listening, sub, heard) })
	}
	return k, nil
}

// close ends the questions, and waits until what was told of them is judged.
func (k *keeping) close() {
	k.end()
	k.heard.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), k.v.cfg.Deadline)
	defer cancel()
	for id := range k.asked {
		if _, err := client.RemoveWatch.Ask(ctx, k.v.bus.Conn(), contract.WatchRemove{ID: id}); err != nil {
			k.v.cfg.Log.Info("a question is kept until it ends by itself", "id", id, "error", err)
		}
	}
}

func (k *keeping) listen(ctx context.Context, sub *nats.Subscription, heard <-chan *nats.Msg) {
	defer func() { _ = sub.Unsubscribe() }() // the connection may be closed
	for {
		select {
		case m := <-heard:
			k.hear(ctx, m.Data)
		case <-ctx.Done():
			return
		}
	}
}

// hear judges what is told of a question.
func (k *keeping) hear(ctx context.Context, raw []byte) {
	var said contract.StandingHit
	if err := json.Unmarshal(raw, &said); err != nil {
		k.v.judge.add(Violation{Kind: Failure, At: time.Now(), Expected: "what is told of a kept question", Seen: err.Error()})
		return
	}
	a := answer{question: question{class: askKept, word: k.asked[said.ID]}, sent: time.Now(), arrived: time.Now()}
	a.reply.Token, a.reply.Hits = said.Token, []contract.Hit{said.Hit}
	a.underway = k.v.world.underway()
	if awaitKnown(ctx, k.v.judge, a) != nil {
		return
	}
	keptJudge{k.v.judge}.told(a, k.note(said))
}

// note takes note of what was told, and reports whether it was told before.
func (k *keeping) note(said contract.StandingHit) (again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := toldOf{said.ID, spot{said.Hit.Source, said.Hit.Path}, said.Hit.View, said.Hit.Version}
	again = k.told[of]
	k.told[of] = true
	k.by[said.ID]++
	close(k.more)
	k.more = make(chan struct{})
	return again
}

// keptJudge judges what kept questions are told.
type keptJudge struct{ *judge }

func (j keptJudge) told(a answer, again bool) {
	h := a.reply.Hits[0]
	at := spot{h.Source, h.Path}
	if !j.ours(h.Source, h.Path) {
		return
	}
	j.count(func(r *Report) { r.KeptTold++ })
	j.showsOf(a, at, h.Version, describe(h), func(content []byte) bool {
		return h.StartLine >= 1 && h.EndLine <= len(linesOf(content)) && holdsExcerpt(string(content), h.Text)
	})
	if again && !j.cfg.Interrupted {
		j.add(a.violation(Duplicate, at, "each version of a document once", describe(h)))
	}
}

// holdsExcerpt reports whether a content has what an excerpt shows of each line.
func holdsExcerpt(content, excerpt string) bool {
	for line := range strings.SplitSeq(excerpt, "\n") {
		for part := range strings.SplitSeq(line, "…") {
			if !strings.Contains(content, strings.TrimSpace(part)) {
				return false
			}
		}
	}
	return true
}

// checkTold waits until each kept question whose word stands in a file was told
// something. What is told is heard by who listens: where a deployment is interrupted,
// some of it is not.
func (k *keeping) checkTold(ctx context.Context) error {
	if k.v.cfg.Interrupted {
		return nil
	}
	finals, _ := k.v.world.finals()
	wait, cancel := context.WithTimeout(ctx, toldWithin)
	defer cancel()
	for id, word := range k.words {
		i := slices.IndexFunc(finals, func(f final) bool { return strings.Contains(string(f.content), word) })
		if i < 0 {
			continue
		}
		k.v.judge.count(func(r *Report) { r.KeptCertain++ })
		if !k.await(wait, id) && ctx.Err() == nil {
			k.v.judge.add(Violation{Kind: Missing, Seed: k.v.cfg.Seed, Source: finals[i].at.source, Path: finals[i].at.path, Class: string(askKept), Question: word, At: time.Now(),
				Expected: "to be told of the word", Seen: fmt.Sprintf("nothing within %s at rest", toldWithin)})
		}
	}
	return ctx.Err()
}

// await reports whether something was told of a question before ctx ends.
func (k *keeping) await(ctx context.Context, id string) bool {
	for {
		k.mu.Lock()
		n, more := k.by[id], k.more
		k.mu.Unlock()
		if n > 0 {
			return true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return false
		}
	}
}

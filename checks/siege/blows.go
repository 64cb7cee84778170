package siege

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// blow is something that is done to the program while the vulture circles. Its
// error ends the round.
type blow struct {
	name  string
	share int // how often, beside the others
	do    func(context.Context) error
}

// blows are what a round strikes with.
func (r *round) blows() []blow {
	return []blow{
		{"kill", 4, r.kill},
		{"stop", 2, r.stop},
		{"freeze", 3, r.freeze},
		{"freeze parser", 3, r.freezeParser},
		{"overload", 2, r.overload},
		{"foreign client", 3, r.intrude},
	}
}

// strike strikes at random moments until ctx ends.
func (r *round) strike(ctx context.Context) error {
	list := r.blows()
	total := 0
	for _, b := range list {
		total += b.share
	}
	for {
		select {
		case <-time.After(between(r.rng, 500*time.Millisecond, 8*time.Second)):
		case <-ctx.Done():
			return nil
		}
		if err := r.ins.fallen(); err != nil {
			return err
		}
		n := r.rng.IntN(total)
		for _, b := range list {
			if n -= b.share; n < 0 {
				if err := b.do(ctx); err != nil {
					return err
				}
				r.count(b.name)
				break
			}
		}
	}
}

func between(rng *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(rng.Int64N(int64(most-least)))
}

// kill kills the program and starts it again; sometimes once more before it is
// ready.
func (r *round) kill(ctx context.Context) error {
	r.ins.kill()
	for r.rng.IntN(4) == 0 {
		if err := r.again(); err != nil {
			return err
		}
		select {
		case <-time.After(between(r.rng, 20*time.Millisecond, time.Second)):
		case <-ctx.Done():
		}
		r.ins.kill()
		r.count("kill before ready")
	}
	return r.again()
}

// stop ends the program in order and starts it again.
func (r *round) stop(context.Context) error {
	if err := r.ins.end(); err != nil {
		return err
	}
	return r.again()
}

// again starts the program, after its log was damaged where that is wanted.
func (r *round) again() error {
	if r.cfg.Damage && r.rng.IntN(3) == 0 {
		if err := r.flip(); err != nil {
			return err
		}
	}
	return r.ins.start()
}

func (r *round) freeze(ctx context.Context) error {
	r.ins.freeze(ctx, r.ins.cmd.Process.Pid, between(r.rng, 100*time.Millisecond, 3*time.Second))
	return nil
}

func (r *round) freezeParser(ctx context.Context) error {
	if pids := children(r.ins.cmd.Process.Pid); len(pids) > 0 {
		r.ins.freeze(ctx, pids[r.rng.IntN(len(pids))], between(r.rng, 100*time.Millisecond, 4*time.Second))
	}
	return nil
}

// burst is how many questions an overload asks at once.
const burst = 500

// overload asks many questions at once and waits for none of them.
func (r *round) overload(context.Context) error {
	nc := r.bus.Conn()
	inbox := nc.NewInbox()
	var down error
	for i := 0; i < burst && down == nil; i++ {
		raw, err := json.Marshal(contract.SearchRequest{Query: "overload " + word(r.rng), DeadlineMS: 500})
		if err != nil {
			return err
		}
		down = nc.PublishRequest(contract.SubjectSearch, inbox, raw)
	}
	return nil
}

// word is a word that nobody else writes.
func word(rng *rand.Rand) string {
	b := []byte("zq")
	for range 12 {
		b = append(b, "abcdefghiklmnoprstuvwyz"[rng.IntN(23)])
	}
	return string(b)
}

package siege

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// blow is something that is done to the program while the vulture circles. Its
// error ends the round.
type blow struct {
	name  string
	share int // how often, beside the others
	do    func(context.Context) error
}

// assault is what is done to the program of a round. It belongs to one
// goroutine.
type assault struct {
	*round
	rng *rand.Rand
	log *bus.Bus // of the services; nil until something is garbled
	// hurt are the documents of which something was garbled.
	hurt map[bus.DocKey]bool
}

func newAssault(r *round) *assault {
	return &assault{round: r, rng: stream(r.entry.Seed, forBlows), hurt: map[bus.DocKey]bool{}}
}

func (r *assault) close() {
	if r.log != nil {
		r.log.Close()
	}
}

// choice is what it strikes with.
func (r *assault) choice() []blow {
	list := []blow{
		{"freeze", 3, r.freeze},
		{"freeze parser", 3, r.freezeParser},
		{"overload", 2, r.overload},
		{"foreign client", 3, r.intrude},
		{"role exceeded", 2, r.exceed},
	}
	if !r.cfg.Damage && r.rng.IntN(3) == 0 {
		return list // no process ends, so that nothing may be left that nobody lists
	}
	list = append(list, blow{"kill", 4, r.kill}, blow{"stop", 2, r.stop})
	if r.cfg.Mode == Embedded {
		list = append(list, blow{"other collections", 1, r.regroup})
	}
	if r.cfg.Damage {
		list = append(list, blow{"damage", 6, r.garble})
	}
	return list
}

// strike strikes at random moments until ctx ends.
func (r *assault) strike(ctx context.Context) error {
	list := r.choice()
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
		if err := r.dep.fallen(); err != nil {
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

// victim is one of the processes.
func (r *assault) victim() *member { return r.dep.members[r.rng.IntN(len(r.dep.members))] }

// ended reports whether a process has ended, or its log was damaged.
func (r *round) ended() bool {
	return r.cfg.Damage || r.entry.Blows["kill"]+r.entry.Blows["stop"]+r.entry.Blows["other collections"] > 0
}

// kill kills a process and starts it again; sometimes once more before it is
// ready.
func (r *assault) kill(ctx context.Context) error {
	p := r.victim()
	p.kill()
	for r.rng.IntN(4) == 0 {
		if err := r.again(p); err != nil {
			return err
		}
		select {
		case <-time.After(between(r.rng, 20*time.Millisecond, time.Second)):
		case <-ctx.Done():
		}
		p.kill()
		r.count("kill before ready")
	}
	return r.again(p)
}

// stop ends a process in order and starts it again.
func (r *assault) stop(context.Context) error {
	p := r.victim()
	if err := p.end(); err != nil {
		return err
	}
	return r.again(p)
}

// regroup ends the program in order and starts it with other collections: another index is
// built beside the one that answers.
func (r *assault) regroup(context.Context) error {
	p := r.victim()
	if err := p.end(); err != nil {
		return err
	}
	text, err := os.ReadFile(r.ground.settings)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.ground.settings, []byte(regrouped(string(text), r.rng)), 0o600); err != nil {
		return err
	}
	return r.again(p)
}

// again starts a process, after its log was damaged where that is wanted.
func (r *assault) again(p *member) error {
	if r.cfg.Damage && r.rng.IntN(3) == 0 {
		if err := r.flip(); err != nil {
			return err
		}
	}
	return p.start()
}

func (r *assault) freeze(ctx context.Context) error {
	most := 3 * time.Second
	if r.rng.IntN(4) == 0 {
		most = 8 * time.Second // what waits for the log, or for a store, gives up
	}
	freeze(ctx, r.victim().cmd.Process.Pid, between(r.rng, 100*time.Millisecond, most))
	return nil
}

func (r *assault) freezeParser(ctx context.Context) error {
	var pids []int
	for _, p := range r.dep.members {
		pids = append(pids, children(p.cmd.Process.Pid)...)
	}
	if len(pids) > 0 {
		freeze(ctx, pids[r.rng.IntN(len(pids))], between(r.rng, 100*time.Millisecond, 4*time.Second))
	}
	return nil
}

// freeze stops a process for a while.
func freeze(ctx context.Context, pid int, d time.Duration) {
	_ = syscall.Kill(pid, syscall.SIGSTOP) // it may be gone
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	_ = syscall.Kill(pid, syscall.SIGCONT)
}

// burst is how many questions an overload asks at once.
const burst = 500

// overload asks many questions at once and waits for none of them.
func (r *assault) overload(context.Context) error {
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

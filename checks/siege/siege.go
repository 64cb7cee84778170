package siege

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Run fights rounds until the time is over, and returns how many of them were
// broken. Each is in the ledger when the next begins. The error is for what
// keeps it from fighting.
func Run(ctx context.Context, cfg Config) (broken int, err error) {
	if err := cfg.setDefaults(); err != nil {
		return 0, err
	}
	seed := cfg.Seed
	if seed == 0 {
		if seed, err = NextSeed(cfg.Ledger, cfg.Mode); err != nil {
			return 0, err
		}
	}
	until := time.Now().Add(cfg.For)
	for n := 0; (cfg.Rounds == 0 || n < cfg.Rounds) && ctx.Err() == nil; n++ {
		length := cfg.Length
		if length == 0 {
			length = lengthOf(seed)
		}
		if left := time.Until(until); cfg.For > 0 && left < length {
			if left < leastRound && n > 0 {
				break
			}
			length = max(left, leastRound).Round(time.Second)
		}
		failed, err := once(ctx, &cfg, seed, length)
		if err != nil {
			return broken, err
		}
		if failed {
			broken++
		}
		seed++
	}
	return broken, nil
}

// once fights one round and adds it to the ledger.
func once(ctx context.Context, cfg *Config, seed uint64, length time.Duration) (failed bool, err error) {
	if cfg.Folder != "" {
		if err := os.MkdirAll(cfg.Folder, 0o755); err != nil {
			return false, fmt.Errorf("make the folder of the siege: %w", err)
		}
	}
	dir, err := os.MkdirTemp(cfg.Folder, fmt.Sprintf("siege-%d-", seed))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return false, fmt.Errorf("make the folder of the round: %w", err)
	}
	r := &round{cfg: cfg, length: length, dir: dir, entry: NewEntry(seed, cfg.Mode)}
	r.blows = newAssault(r)
	began, own := time.Now(), processorTime()
	r.fight(ctx)
	r.entry.Checker = (processorTime() - own).Seconds()
	if ctx.Err() != nil {
		return false, os.RemoveAll(dir) // broken off: nothing is known
	}
	if err := Append(cfg.Ledger, r.entry); err != nil {
		return false, err
	}
	return r.entry.Broken() > 0, r.report(time.Since(began))
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// shownNotes is how many violations are printed of a round.
const shownNotes = 20

// report prints how the round ended, and removes or keeps its folder.
func (r *round) report(took time.Duration) error {
	e := r.entry
	fmt.Fprintf(r.cfg.Out, "seed %d  %s (%s in all)  %d answers, %d with a token, %.0f a minute  processor: program %.0f s, checker %.0f s  %d writes  %s  violations: %s\n",
		e.Seed, r.length, took.Round(time.Second), e.Answers, e.WithToken, float64(e.Answers)/max(e.Seconds/60, 1e-9), e.Program, e.Checker, e.Writes, counts(e.Blows, "no blows"), counts(e.Violations, "none"))
	if e.Broken() == 0 {
		return os.RemoveAll(r.dir)
	}
	if e.Trouble != "" {
		fmt.Fprintf(r.cfg.Out, "  %s\n", e.Trouble)
	}
	for i, note := range r.notes {
		if i == shownNotes {
			fmt.Fprintf(r.cfg.Out, "  and %d more\n", len(r.notes)-i)
			break
		}
		fmt.Fprintf(r.cfg.Out, "  %s\n", note)
	}
	again := fmt.Sprintf("make %s SEED=%d ROUNDS=1 LENGTH=%s", map[string]string{Embedded: "siege", Calm: "siege MODE=calm", Servers: "siege-servers"}[e.Mode], e.Seed, r.length)
	if r.cfg.Damage {
		again += " ARGS=--damage"
	}
	fmt.Fprintf(r.cfg.Out, "  kept in %s; again with: %s\n", r.dir, again)
	return nil
}

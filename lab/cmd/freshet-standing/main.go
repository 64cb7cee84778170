// Command freshet-standing indexes a tree twice with the real program, without kept
// questions and with many, and prints the time of both and how soon what answers was
// told. See `make standing`.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

type config struct {
	binary, dir string
	questions   int
}

func main() {
	var cfg config
	flag.StringVar(&cfg.binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.dir, "dir", ".", "tree to index, of Go")
	flag.IntVar(&cfg.questions, "questions", 500, "questions that are kept")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, cfg); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-standing:", err)
		os.Exit(2)
	}
}

func measure(ctx context.Context, cfg config) error {
	questions, err := questionsOf(cfg.dir, cfg.questions)
	if err != nil {
		return err
	}
	for _, kept := range [][]string{nil, questions} {
		if err := index(ctx, cfg, kept); err != nil {
			return err
		}
	}
	return nil
}

var comment = regexp.MustCompile(`(?m)^// [A-Z]\w+ ([a-z][^\n]{20,100}[a-z])\.\nfunc `)

// questionsOf are first sentences of doc comments, without the name, from all over
// the tree.
func questionsOf(dir string, most int) ([]string, error) {
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range comment.FindAllSubmatch(text, -1) {
			all = append(all, strings.NewReplacer(`"`, " ", ":", " ").Replace(string(m[1])))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read doc comments: %w", err)
	}
	if len(all) < most {
		return nil, fmt.Errorf("%s has %d doc comments of one line: name a tree with %d", dir, len(all), most)
	}
	out := make([]string, most)
	for i := range out {
		out[i] = all[i*len(all)/most]
	}
	return out, nil
}

// index indexes the tree in a state of its own, while questions are kept.
func index(ctx context.Context, cfg config, questions []string) (err error) {
	state, err := os.MkdirTemp("", "freshet-standing-")
	if err != nil {
		return fmt.Errorf("make a state folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
	p, err := system.Start(ctx, system.Options{Binary: cfg.binary, Data: state})
	if err != nil {
		return err
	}
	defer func() {
		_, stopped := p.Stop()
		err = errors.Join(err, stopped)
	}()
	url, _, err := p.Ready(ctx)
	if err != nil {
		return err
	}
	nc, err := nats.Connect(url, nats.CustomInboxPrefix(contract.InboxOf("admin")))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer nc.Close()
	for _, q := range questions {
		if _, err := client.AddWatch.Ask(ctx, nc, contract.WatchAdd{Question: &contract.StandingQuestion{Query: q}}); err != nil {
			return fmt.Errorf("keep %q: %w", q, err)
		}
	}
	heard, versions := 0, map[string]bool{}
	twice := 0
	sub, err := nc.Subscribe(contract.AllStanding, func(m *nats.Msg) {
		heard++
		var hit contract.StandingHit
		if json.Unmarshal(m.Data, &hit) == nil {
			key := fmt.Sprint(hit.ID, hit.Hit.Source, hit.Hit.View, hit.Hit.Version)
			if versions[key] {
				twice++
			}
			versions[key] = true
		}
	})
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	began := time.Now()
	if _, err := client.AddSource.Ask(ctx, nc, contract.SourceAdd{Root: cfg.dir}); err != nil {
		return fmt.Errorf("add the source: %w", err)
	}
	// The answer is complete once nothing is pending.
	k := 1
	for {
		reply, err := client.Search.Ask(ctx, nc, contract.SearchRequest{Query: "main", K: &k, Token: "latest", DeadlineMS: 30_000})
		if err == nil && len(reply.Pending) == 0 && !strings.Contains(strings.Join(reply.Degraded, " "), "pending") {
			break
		}
		if err != nil && document.KindOf(err) != document.Deadline {
			return err
		}
	}
	took := time.Since(began)
	st, err := told(ctx, nc)
	if err != nil {
		return err
	}
	if err := sub.Unsubscribe(); err != nil {
		return fmt.Errorf("end listening: %w", err)
	}
	cpu := time.Duration(0)
	for _, u := range p.Usage().Processes {
		cpu += u.CPU
	}
	fmt.Printf("%d kept questions: %d passages searchable after %.1f s, %.1f s of processors, %d MB\n", len(questions), st.Chunks, took.Seconds(), cpu.Seconds(), p.Usage().Peak>>20)
	for _, r := range st.Reports {
		if all := r.Counters["standing_told"]; all > 0 {
			fmt.Printf("told %d, heard %d, twice %d; within", all, heard, twice)
			for _, ms := range []int{100, 250, 500, 1000, 2000, 5000} {
				fmt.Printf("  %d ms: %.1f %%", ms, 100*float64(r.Counters[fmt.Sprintf("standing_told_%dms", ms)])/float64(all))
			}
			fmt.Println()
		}
	}
	return nil
}

// told waits until nothing more is told, and returns the state.
func told(ctx context.Context, nc *nats.Conn) (contract.StatusReply, error) {
	before := uint64(0)
	for {
		select {
		case <-time.After(3 * time.Second):
		case <-ctx.Done():
			return contract.StatusReply{}, ctx.Err()
		}
		st, err := client.Status.Ask(ctx, nc, client.None)
		if err != nil {
			return st, err
		}
		now := uint64(0)
		for _, r := range st.Reports {
			now += r.Counters["standing_told"]
		}
		if now == before {
			return st, nil
		}
		before = now
	}
}

// Command freshet-rules indexes a tree with the real program three times, without rules
// of access, with many, and with rules in the tree besides, asks all three the same
// questions in turn, and prints how long answers take. See `make rules`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

type config struct {
	binary, dir          string
	rules, files, rounds int
}

func main() {
	var cfg config
	flag.StringVar(&cfg.binary, "freshet", "bin/freshet", "the program to measure")
	flag.StringVar(&cfg.dir, "dir", ".", "tree of which files are indexed")
	flag.IntVar(&cfg.rules, "rules", 1000, "rules of access")
	flag.IntVar(&cfg.files, "files", 10_000, "files that are indexed")
	flag.IntVar(&cfg.rounds, "rounds", 60, "how often each of the questions is asked in each way")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, cfg); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-rules:", err)
		os.Exit(2)
	}
}

// questions are of each class.
var questions = []string{
	"parse an IPv6 address", "where are TLS session tickets encrypted", "ServeHTTP", "json decoder skip value",
	"how does the scheduler steal work from other processors", "bufio.Scanner", "garbage collector write barrier", "context deadline exceeded",
	"sort stable insertion", "x509 verify certificate chain",
}

// way is how the questions are asked, with how long the answers took.
type way struct {
	name string
	nc   *nats.Conn
	ms   []float64
	hits int
}

func measure(ctx context.Context, cfg config) (err error) {
	top, err := os.MkdirTemp("", "freshet-rules-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	var ways []*way
	for i, ground := range grounds(cfg) {
		asked, stop, err := start(ctx, cfg, filepath.Join(top, fmt.Sprint(i)), ground)
		if stop != nil {
			defer func() { _, _ = stop() }()
		}
		if err != nil {
			return err
		}
		ways = append(ways, asked...)
	}
	if err := ask(ctx, cfg, ways); err != nil {
		return err
	}
	base := quantile(ways[0].ms, .5)
	for _, w := range ways {
		fmt.Printf("%-62s p50 %5.2f ms (%.2f ×)  p99 %6.2f ms  %d answers, %.1f hits each\n", w.name, quantile(w.ms, .5), quantile(w.ms, .5)/base, quantile(w.ms, .99), len(w.ms), float64(w.hits)/float64(len(w.ms)))
	}
	return nil
}

// ground is a freshet that is asked.
type ground struct {
	rules  bool                                 // those of the operator
	inTree func(folders []string, n int) string // rules in the tree; nil for none
	asked  []asker
}

type asker struct {
	role contract.Role
	name string // of the way to ask
}

func grounds(cfg config) []ground {
	return []ground{
		{asked: []asker{{contract.RoleAsk, "without rules"}}},
		{rules: true, asked: []asker{
			{contract.RoleAdmin, fmt.Sprintf("%d rules, the owner", cfg.rules)},
			{contract.RoleAsk, fmt.Sprintf("%d rules, who sees the folders that half of them name", cfg.rules)},
		}},
		{rules: true, inTree: showingAll, asked: []asker{{contract.RoleAsk, fmt.Sprintf("the same, and %d rules in .freshetaccess that show all of it", inSource)}}},
		{rules: true, inTree: rulesOf, asked: []asker{{contract.RoleAsk, fmt.Sprintf("the same, and %d that leave little to be seen", inSource)}}},
	}
}

// start copies the tree, starts the program over it with its rules, and returns the ways
// to ask it. Where something was started, stop ends it, whatever the error.
func start(ctx context.Context, cfg config, folder string, of ground) (ways []*way, stop func() (time.Duration, error), err error) {
	tree, state := filepath.Join(folder, "tree"), filepath.Join(folder, "state")
	folders, err := copied(cfg.dir, tree, cfg.files)
	if err != nil {
		return nil, nil, err
	}
	text := "gateway: {listen: ''}\n"
	if of.rules {
		rules := filepath.Join(folder, "access.yaml")
		if err := os.WriteFile(rules, []byte("members:\n  readers: [ask]\n"+rulesOf(folders, cfg.rules)), 0o600); err != nil {
			return nil, nil, fmt.Errorf("write rules: %w", err)
		}
		text += "access: {file: " + rules + "}\n"
	}
	if of.inTree != nil {
		if err := os.WriteFile(filepath.Join(tree, string(document.AccessFile)), []byte(of.inTree(folders, inSource)), 0o600); err != nil {
			return nil, nil, fmt.Errorf("write rules: %w", err)
		}
	}
	file := filepath.Join(folder, "freshet.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, nil, fmt.Errorf("write a configuration: %w", err)
	}
	p, err := system.Start(ctx, system.Options{Binary: cfg.binary, Data: state, Paths: []string{tree}, Config: file})
	if err != nil {
		return nil, nil, err
	}
	if _, _, err := p.Ready(ctx); err != nil {
		return nil, p.Stop, err
	}
	for _, who := range of.asked {
		nc, err := connect(state, who.role)
		if err != nil {
			return nil, p.Stop, err
		}
		if err := settled(ctx, nc); err != nil {
			return nil, p.Stop, err
		}
		ways = append(ways, &way{name: who.name, nc: nc})
	}
	return ways, p.Stop, nil
}

// inSource is how many rules have room in the 16 KiB of a file .freshetaccess.
const inSource = 200

// copied copies the first files of a tree, and returns the folders that have some.
func copied(from, to string, most int) (folders []string, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || most == 0 {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		most--
		if dir := filepath.ToSlash(filepath.Dir(rel)); dir != "." && !seen[dir] && !strings.ContainsAny(dir, "*?[]{}\\") {
			seen[dir] = true
			folders = append(folders, dir+"/")
		}
		name := filepath.Join(to, rel)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, raw, 0o644)
	})
	if err == nil && len(folders) < inSource {
		err = fmt.Errorf("%s has %d folders with files: name a tree with %d", from, len(folders), inSource)
	}
	return folders, err
}

// showingAll are n rules: those of the readers show every folder, one by one of the top,
// and the others are for others.
func showingAll(folders []string, n int) string {
	var tops []string
	for _, f := range folders {
		if top, _, _ := strings.Cut(f, "/"); !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	var b strings.Builder
	b.WriteString("rules:\n- {groups: [readers], paths: ['*']}\n")
	for i := range n - 1 {
		group, folder := "readers", folders[i%len(folders)]
		if i < len(tops) {
			folder = tops[i] + "/"
		} else {
			group = fmt.Sprintf("g%d", i)
		}
		fmt.Fprintf(&b, "- {groups: [%s], paths: ['%s']}\n", group, folder)
	}
	return b.String()
}

// rulesOf are n rules of one folder each, by turns for the readers and for others, so
// that the readers see about half of the folders where there are as many rules as these.
func rulesOf(folders []string, n int) string {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var b strings.Builder
	b.WriteString("rules:\n")
	for i := range n {
		group := "readers"
		if i%2 == 1 {
			group = fmt.Sprintf("g%d", i)
		}
		fmt.Fprintf(&b, "- {groups: [%s], paths: ['%s']}\n", group, folders[rng.IntN(len(folders))])
	}
	return b.String()
}

func connect(state string, role contract.Role) (*nats.Conn, error) {
	record, err := instance.Read(state)
	if err != nil {
		return nil, err
	}
	remote, err := record.Remote(string(role))
	if err != nil {
		return nil, err
	}
	return remote.Dial()
}

// settled waits until everything is in both indexes.
func settled(ctx context.Context, nc *nats.Conn) error {
	k := 1
	for {
		reply, err := client.Search.Ask(ctx, nc, contract.SearchRequest{Query: "main", K: &k, Token: "latest", DeadlineMS: 30_000})
		if err == nil && len(reply.Pending) == 0 && len(reply.Degraded) == 0 {
			return nil
		}
		if err != nil && document.KindOf(err) != document.Deadline {
			return err
		}
	}
}

// ask asks each question in each way by turns, so that what else the machine does meets
// all alike. The first round is not counted.
func ask(ctx context.Context, cfg config, ways []*way) error {
	for round := range cfg.rounds + 1 {
		for _, q := range questions {
			for i := range ways {
				w := ways[(i+round)%len(ways)]
				begin := time.Now()
				reply, err := client.Search.Ask(ctx, w.nc, contract.SearchRequest{Query: q})
				if err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
				if round > 0 {
					w.ms = append(w.ms, float64(time.Since(begin).Microseconds())/1000)
					w.hits += len(reply.Hits)
				}
			}
		}
	}
	return nil
}

func quantile(ms []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(ms))
	return s[int(q*float64(len(s)-1))]
}

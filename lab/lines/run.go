package lines

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Config says what to measure.
type Config struct {
	Binary  string // path of freshet
	Ripgrep string // path of ripgrep; "" compares with nothing
	Dir     string // tree to index
	Scratch string // folder for temporary state; "" for the system's
	// Patterns are how many are drawn, by Seed.
	Patterns int
	Seed     uint64
	// Scan is how many of them are asked of an instance without trigrams, too.
	Scan int
}

// SetDefaults fills in what is zero: the tree is Go's own source, which is wherever
// this is built.
func (c *Config) SetDefaults() error {
	if c.Dir == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return fmt.Errorf("ask for Go's own source (name a tree with --dir): %w", err)
		}
		c.Dir = filepath.Join(strings.TrimSpace(string(root)), "src")
	}
	var err error
	if c.Dir, err = filepath.EvalSymlinks(c.Dir); err != nil {
		return fmt.Errorf("look for the tree to index: %w", err)
	}
	return nil
}

// Run is what came of one instance.
type Run struct {
	Answers []Answer
	// Documents are those that are indexed, with Bytes bytes; Known those of whose
	// texts trigrams are kept, in Memory bytes.
	Documents int
	Bytes     int64
	Trigrams  contract.TrigramState
	// Learning is the time until all of them were known, from when the instance was
	// ready.
	Learning time.Duration
	// CPU is the processor time of the instance while it answered, by kind.
	CPU map[string]time.Duration
	// Disk is what the state folder takes.
	Disk int64
}

// Compare indexes the tree in a state of its own, which is removed at the end, and
// asks; then it asks an instance on the same state that keeps no trigrams.
func Compare(ctx context.Context, cfg Config, progress io.Writer) (with, without Run, err error) {
	state, err := os.MkdirTemp(cfg.Scratch, "freshet-lines-")
	if err != nil {
		return with, without, fmt.Errorf("make a folder for temporary state: %w", err)
	}
	defer func() { _ = os.RemoveAll(state) }()
	var patterns []Pattern
	fmt.Fprintf(progress, "indexing %s\n", cfg.Dir)
	if with, err = cfg.run(ctx, state, "", &patterns, progress); err != nil {
		return with, without, err
	}
	if cfg.Scan == 0 {
		return with, without, nil
	}
	off := filepath.Join(state, "off.yaml")
	if err := os.WriteFile(off, []byte("query: {trigrams: 0B}\n"), 0o600); err != nil {
		return with, without, fmt.Errorf("write a configuration: %w", err)
	}
	patterns = patterns[:min(cfg.Scan, len(patterns))] // rare names: each scan takes seconds
	cfg.Ripgrep = ""
	without, err = cfg.run(ctx, state, off, &patterns, progress)
	return with, without, err
}

// run asks one instance. Patterns are drawn where there are none yet.
func (c *Config) run(ctx context.Context, state, config string, patterns *[]Pattern, progress io.Writer) (r Run, err error) {
	data := filepath.Join(state, "state")
	p, err := system.Start(ctx, system.Options{Binary: c.Binary, Data: data, Paths: []string{c.Dir}, Config: config})
	if err != nil {
		return r, err
	}
	defer func() {
		if _, stopped := p.Stop(); err == nil {
			err = stopped
		}
	}()
	url, after, err := p.Ready(ctx)
	if err != nil {
		return r, err
	}
	ready := time.Now()
	b, err := bus.Connect(ctx, url)
	if err != nil {
		return r, fmt.Errorf("connect to the program: %w", err)
	}
	defer b.Close()
	paths, err := documents(ctx, b, &r)
	if err != nil {
		return r, err
	}
	fmt.Fprintf(progress, "%d documents with %d bytes, ready after %.1f s\n", r.Documents, r.Bytes, after.Seconds())
	if config == "" {
		if err := learned(ctx, b, &r, ready); err != nil {
			return r, err
		}
	}
	if *patterns == nil {
		texts, err := read(c.Dir, paths)
		if err != nil {
			return r, err
		}
		*patterns = newSample(texts, c.Seed).draw(c.Patterns)
	}
	var rg *ripgrep
	if c.Ripgrep != "" {
		rg = newRipgrep(c.Ripgrep, c.Dir, paths)
	}
	r.CPU = map[string]time.Duration{}
	for i, pattern := range *patterns {
		if i == 0 || pattern.Kind != (*patterns)[i-1].Kind {
			r.CPU[pattern.Kind] -= busy(p.Usage())
		}
		a, err := ask(ctx, b.Conn(), rg, pattern)
		if err != nil {
			return r, err
		}
		r.Answers = append(r.Answers, a)
		if i == len(*patterns)-1 || pattern.Kind != (*patterns)[i+1].Kind {
			r.CPU[pattern.Kind] += busy(p.Usage())
		}
	}
	sizes, err := system.DiskUse(data, func(string) string { return "" })
	r.Disk = sizes[""]
	return r, err
}

func busy(u system.Usage) (sum time.Duration) {
	for _, p := range u.Processes {
		sum += p.CPU
	}
	return sum
}

// documents lists what is indexed, by path.
func documents(ctx context.Context, b *bus.Bus, r *Run) (paths []string, err error) {
	if err := b.Files().Ready(ctx); err != nil {
		return nil, fmt.Errorf("list the documents: %w", err)
	}
	b.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		if h.Op == contract.OpPut {
			paths = append(paths, h.Path.Raw())
			r.Bytes += h.Size
		}
		return true
	})
	slices.Sort(paths)
	r.Documents = len(paths)
	return paths, nil
}

// learned waits until the trigrams of every text are known.
func learned(ctx context.Context, b *bus.Bus, r *Run, since time.Time) error {
	for {
		st, err := client.Status.Ask(ctx, b.Conn(), client.None)
		if err != nil {
			return fmt.Errorf("ask how many texts are known: %w", err)
		}
		if st.Trigrams != nil && st.Trigrams.Known == st.Trigrams.Texts {
			r.Trigrams, r.Learning = *st.Trigrams, time.Since(since)
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func read(dir string, paths []string) (texts []string, err error) {
	for _, p := range paths {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			return nil, fmt.Errorf("read what was indexed: %w", err)
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

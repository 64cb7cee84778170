package exact

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Config says what to measure.
type Config struct {
	Binary  string // path of freshet
	Dir     string // tree to index
	Scratch string // folder for temporary state; "" for the system's
	// Names, Lines, Signatures and Frames are how many of each are drawn, by Seed.
	Names, Lines, Signatures, Frames int
	Seed                             uint64
}

// SetDefaults fills in what is zero: the tree is Go's own source, which is
// wherever this is built.
func (c *Config) SetDefaults() error {
	if c.Dir != "" {
		return nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("ask for Go's own source (name a tree with --dir): %w", err)
	}
	c.Dir = filepath.Join(strings.TrimSpace(string(root)), "src")
	return nil
}

// Kind is what came of the questions of one kind.
type Kind struct {
	Name    string
	Answers []Answer
	// Grepped says that ripgrep was asked, too.
	Grepped bool
}

// Run indexes the tree in a state of its own, which is removed at the end, and
// asks for what it holds.
func Run(ctx context.Context, cfg Config, progress io.Writer) (_ []Kind, err error) {
	named, err := names(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	copied, err := lines(cfg.Dir)
	if err != nil {
		return nil, err
	}
	signed, err := signatures(ctx, cfg.Dir, copied)
	if err != nil {
		return nil, err
	}
	framed, err := frames(ctx, cfg.Dir, cfg.Seed)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "%d names, %d lines, %d signatures and %d frames to draw from; indexing %s\n", len(named), len(copied), len(signed), len(framed), cfg.Dir)
	in, err := eval.Start(ctx, eval.Corpus{Binary: cfg.Binary, Folders: []string{cfg.Dir}, Scratch: cfg.Scratch})
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := in.Close(); err == nil {
			err = closed
		}
	}()
	fmt.Fprintf(progress, "%d documents, %d passages in %.0f s\n", in.Indexing.Documents, in.Indexing.Passages, in.Indexing.Seconds)
	paths, err := listed(ctx, in.Bus.Conn())
	if err != nil {
		return nil, err
	}
	var kinds []Kind
	for _, k := range []struct {
		name string
		all  []Question
		n    int
	}{{"names", named, cfg.Names}, {"lines", copied, cfg.Lines}, {"signatures", signed, cfg.Signatures}, {"frames", framed, cfg.Frames}} {
		answers, err := ask(ctx, in.Bus.Conn(), draw(within(k.all, paths), k.n, cfg.Seed))
		if err != nil {
			return nil, fmt.Errorf("ask for %s: %w", k.name, err)
		}
		kind := Kind{Name: k.name, Answers: answers}
		if k.name == "lines" || k.name == "signatures" {
			if kind.Grepped, err = grep(ctx, cfg.Dir, answers); err != nil {
				return nil, err
			}
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

func describe(h *contract.Hit) string {
	return fmt.Sprintf("%s:%d %s", h.Path.Raw(), h.StartLine, h.Symbol)
}

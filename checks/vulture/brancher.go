package vulture

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
)

const (
	branches    = 4
	branchFiles = 12 // that a branch has, more or less
)

// brancher switches a git repository between branches with different contents,
// and commits to them. It belongs to one goroutine.
type brancher struct {
	recorder
	author author
	serial int
	trees  []map[string]draft // what each branch holds
	on     int                // the branch that is checked out
}

func newBrancher(v *Vulture, i int) *brancher {
	rng := rand.New(rand.NewPCG(v.cfg.Seed, uint64(i)))
	return &brancher{recorder: recorder{v: v, ground: v.grounds[1], rng: rng},
		author: author{rng: rng, words: words{rng: rng, base: i * wordsPerWriter}}}
}

// run switches and commits until stop is closed. What is begun is finished.
func (b *brancher) run(ctx context.Context, stop <-chan struct{}) error {
	if err := b.plant(ctx); err != nil {
		return fmt.Errorf("vulture: make branches: %w", err)
	}
	for {
		name, do := "branch switch", b.change
		if b.rng.IntN(3) == 0 {
			name, do = "commit", b.commit
		}
		if err := do(ctx); err != nil {
			return fmt.Errorf("vulture: %s: %w", name, err)
		}
		b.count(name)
		if more, err := b.rest(ctx, stop); !more {
			return err
		}
	}
}

// plant makes the branches: each is the one before with some files edited,
// removed and added.
func (b *brancher) plant(ctx context.Context) error {
	tree := map[string]draft{}
	for range branchFiles {
		d := b.author.draft()
		tree[b.name(d.ext)] = d
	}
	for i := range branches {
		if i > 0 {
			tree = b.vary(tree, branchFiles/2)
		}
		b.trees = append(b.trees, tree)
	}
	if err := b.git(ctx, "init", "--quiet"); err != nil {
		return err
	}
	if err := b.git(ctx, "symbolic-ref", "HEAD", "refs/heads/"+branch(0)); err != nil {
		return err
	}
	for i := range branches {
		if err := b.grow(ctx, i); err != nil {
			return err
		}
	}
	b.on = branches - 1
	return nil
}

// grow makes a branch on top of the one that is checked out.
func (b *brancher) grow(ctx context.Context, i int) error {
	before := map[string]draft{}
	if i > 0 {
		before = b.trees[i-1]
	}
	effects, c := b.difference(before, b.trees[i], inPlace)
	return b.do(ctx, effects, c, func() error {
		if i > 0 {
			if err := b.git(ctx, "switch", "--quiet", "--create", branch(i)); err != nil {
				return err
			}
		}
		return b.write(ctx, before, b.trees[i])
	})
}

// change switches to another branch.
func (b *brancher) change(ctx context.Context) error {
	to := (b.on + 1 + b.rng.IntN(branches-1)) % branches
	effects, c := b.difference(b.trees[b.on], b.trees[to], replaced)
	b.on = to
	return b.do(ctx, effects, c, func() error { return b.git(ctx, "switch", "--quiet", branch(to)) })
}

// commit edits, removes and adds some files of the branch at hand.
func (b *brancher) commit(ctx context.Context) error {
	before, after := b.trees[b.on], b.vary(b.trees[b.on], 3)
	effects, c := b.difference(before, after, inPlace)
	b.trees[b.on] = after
	return b.do(ctx, effects, c, func() error { return b.write(ctx, before, after) })
}

// write brings the files from one state to another and commits that.
func (b *brancher) write(ctx context.Context, before, after map[string]draft) error {
	for name := range before {
		if _, kept := after[name]; !kept {
			if err := os.Remove(b.ground.file(name)); err != nil {
				return err
			}
		}
	}
	for name, d := range after {
		content := d.content()
		if old, there := before[name]; there && bytes.Equal(old.content(), content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(b.ground.file(name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(b.ground.file(name), content, 0o644); err != nil {
			return err
		}
	}
	if err := b.git(ctx, "add", "--all"); err != nil {
		return err
	}
	return b.git(ctx, "commit", "--quiet", "--allow-empty", "--message", "another state")
}

// vary returns a tree with up to n changes.
func (b *brancher) vary(tree map[string]draft, n int) map[string]draft {
	next := maps.Clone(tree)
	for range 1 + b.rng.IntN(n) {
		names := slices.Sorted(maps.Keys(next))
		name := names[b.rng.IntN(len(names))]
		switch k := b.rng.IntN(4); {
		case k == 0 && len(next) > branchFiles/2:
			delete(next, name)
		case k == 1 && len(next) < 2*branchFiles:
			d := b.author.draft()
			next[b.name(d.ext)] = d
		default:
			next[name] = b.author.edit(next[name])
		}
	}
	return next
}

// difference returns what going from one tree to another does to the files,
// and what can be asked about it. The deployment is told of the files or of
// the repository, as a hook does it.
func (b *brancher) difference(from, to map[string]draft, w way) ([]effect, change) {
	var effects []effect
	c := change{always: true}
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if _, kept := to[name]; !kept {
			effects = append(effects, effect{at: b.ground.spot(name)})
			c.removed = append(c.removed, from[name].words()...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(to)) {
		old, there := from[name]
		content := to[name].content()
		if there && bytes.Equal(old.content(), content) {
			continue
		}
		effects = append(effects, effect{at: b.ground.spot(name), content: content, way: w})
		c.removed = append(c.removed, without(old, to[name])...)
		if added := without(to[name], old); len(added) > 0 {
			c.added, c.kept, c.to = added, both(old, to[name]), name
		}
	}
	if b.rng.IntN(2) == 0 {
		c.announce = contract.Announce{Repository: b.ground.Dir, Hook: "post-checkout"}
	}
	return effects, c
}

func branch(i int) string { return fmt.Sprintf("b%d", i) }

// name makes a new path.
func (b *brancher) name(ext string) string {
	b.serial++
	return fmt.Sprintf("d%d/%s_%d%s", b.rng.IntN(3), common[b.rng.IntN(len(common))], b.serial, ext)
}

// git runs git without the user's configuration. It is not cut off in the
// middle: the files would be in no state that is known.
func (b *brancher) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "git", append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)...)
	cmd.Dir = b.ground.Dir
	cmd.Env = append(plainEnvironment(), "GIT_AUTHOR_NAME=vulture", "GIT_AUTHOR_EMAIL=vulture@example.org",
		"GIT_COMMITTER_NAME=vulture", "GIT_COMMITTER_EMAIL=vulture@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// plainEnvironment is the environment without what leads git elsewhere.
func plainEnvironment() []string {
	out := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "GIT_") })
	return append(out, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "LC_ALL=C")
}

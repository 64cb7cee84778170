package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// command reads a repository with the git command.
type command struct {
	git    string // path of the command
	layout Layout
	// limit is how long a command may take before it counts as one that waits
	// for ever, for a pipe in place of a ref for example.
	limit time.Duration
	check *catFile // sizes
	batch *catFile // contents
}

// commandLimit is far above what listing the largest trees takes, which is
// seconds.
const commandLimit = 2 * time.Minute

func newCommand(git string, l Layout) *command {
	c := &command{git: git, layout: l, limit: commandLimit}
	c.check = &catFile{start: func() *exec.Cmd { return c.cmd(context.Background(), "cat-file", "--batch-check") }}
	c.batch = &catFile{start: func() *exec.Cmd { return c.cmd(context.Background(), "cat-file", "--batch") }}
	return c
}

func (c *command) close() {
	c.check.close()
	c.batch.close()
}

// Environ returns the environment without the variables that a hook inherits:
// they would lead git to another repository. Messages are in English, and
// nothing asks for a password.
func Environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_SSH", "GIT_SSH_COMMAND":
		default:
			if strings.HasPrefix(name, "GIT_") {
				continue
			}
		}
		env = append(env, kv)
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

func (c *command) cmd(ctx context.Context, args ...string) *exec.Cmd {
	// A repository that was unpacked or copied may name a program as its
	// monitor, which git would run to read the index.
	cmd := exec.CommandContext(ctx, c.git, append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = c.layout.Dir()
	cmd.Env = Environ()
	if c.layout.Bare() {
		cmd.Env = append(cmd.Env, "GIT_DIR="+c.layout.GitDir)
	}
	return cmd
}

// run returns the standard output of a git command. ok is false when it ended
// with status 1, with which git says "no".
func (c *command) run(ctx context.Context, args ...string) (out []byte, ok bool, err error) {
	var stderr bytes.Buffer
	within, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	cmd := c.cmd(within, args...)
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return nil, false, document.Errorf(document.Unavailable, "git %s did not end within %s in %s: is something in its git directory no file?", args[0], c.limit, c.layout.Dir())
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return out, false, nil
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, false, fmt.Errorf("git %s: %w: %s", args[0], err, first)
	}
	return out, true, nil
}

func (c *command) head(ctx context.Context, branch string) (Head, error) {
	h := Head{Branch: branch}
	ref := "refs/heads/" + branch
	if branch == "" {
		out, ok, err := c.run(ctx, "symbolic-ref", "-q", "HEAD")
		if err != nil {
			return h, err
		}
		if ref = strings.TrimSpace(string(out)); !ok {
			ref = "HEAD"
		}
		h.Branch = strings.TrimPrefix(ref, "refs/heads/")
	}
	out, ok, err := c.run(ctx, "rev-parse", "-q", "--verify", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return h, err
	}
	if ok {
		h.Commit = strings.TrimSpace(string(out))
	}
	return h, nil
}

func (c *command) tree(ctx context.Context, commit string) ([]Entry, error) {
	out, ok, err := c.run(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("git ls-tree finds no commit %s", commit)
	}
	return parseTree(out)
}

// parseTree reads what `git ls-tree -r -z` prints.
func parseTree(out []byte) ([]Entry, error) {
	var entries []Entry
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		// mode SP type SP id TAB path
		meta, path, ok := strings.Cut(string(line), "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 {
			return nil, fmt.Errorf("git ls-tree printed %q", line)
		}
		mode, err := strconv.ParseUint(fields[0], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("git ls-tree printed %q: %w", line, err)
		}
		entries = append(entries, Entry{Mode: uint32(mode), Blob: fields[2], Path: path})
	}
	return entries, nil
}

func (c *command) ancestors(ctx context.Context, commit string, n int) ([]string, error) {
	out, ok, err := c.run(ctx, "rev-list", "--max-count="+strconv.Itoa(n+1), "--end-of-options", commit, "--")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("git rev-list finds no commit %s", commit)
	}
	// The commit itself comes first.
	return strings.Fields(string(out))[1:], nil
}

func (c *command) size(ctx context.Context, blob string) (int64, error) {
	size, _, err := c.check.ask(ctx, blob, false)
	return size, err
}

func (c *command) blob(ctx context.Context, blob string) ([]byte, error) {
	_, content, err := c.batch.ask(ctx, blob, true)
	return content, err
}

func (c *command) excludesFile(ctx context.Context) (string, error) {
	out, _, err := c.run(ctx, "config", "--type=path", "--get", "core.excludesFile")
	return strings.TrimRight(string(out), "\n"), err
}

// trackedIgnored does not have git apply its rules: it would wait for an ignore
// file that is a pipe, follow one out of the tree, and take for ever over a
// pattern of many double stars.
func (c *command) trackedIgnored(ctx context.Context, ignored func(string) bool) ([]string, error) {
	out, _, err := c.run(ctx, "ls-files", "-z", "--cached")
	if err != nil {
		return nil, err
	}
	var paths []string
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" && ignored(path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

package githook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
)

// Names are the hooks that follow a change of what a branch or a work tree
// shows.
var Names = []string{"post-receive", "post-commit", "post-checkout", "post-merge", "post-rewrite"}

// Change is what was done to one hook.
type Change struct {
	Name string
	Path string
	// Kept is true where a hook of somebody else's was there and runs on.
	Kept bool
}

// Install puts the block into every hook of the repository. command is the
// absolute path of the freshet binary, followed by the arguments that lead it
// to the running instance. Hooks that cannot take the block are left as they
// are and named in the error, with the line to add by hand; the others are
// installed all the same.
func Install(ctx context.Context, repo string, command []string) ([]Change, error) {
	if len(command) == 0 || !filepath.IsAbs(command[0]) {
		return nil, document.Errorf(document.InvalidRequest, "hooks need the absolute path of the freshet binary, not %q", strings.Join(command, " "))
	}
	return each(ctx, repo, func(dir, name string) (*Change, error) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("create the hooks directory: %w", err)
		}
		return install(filepath.Join(dir, name), name, command)
	})
}

// Remove takes the block out of every hook of the repository. Hooks get back
// the bytes that they had; those that Install made are deleted.
func Remove(ctx context.Context, repo string) ([]Change, error) {
	return each(ctx, repo, func(dir, name string) (*Change, error) {
		return uninstall(filepath.Join(dir, name), name)
	})
}

func each(ctx context.Context, repo string, do func(dir, name string) (*Change, error)) ([]Change, error) {
	dir, err := hooksDir(ctx, repo)
	if err != nil {
		return nil, err
	}
	var done []Change
	var refused []string
	for _, name := range Names {
		c, err := do(dir, name)
		var typed *document.Error
		switch {
		case errors.As(err, &typed):
			refused = append(refused, typed.Message)
		case err != nil:
			return done, err
		case c != nil:
			done = append(done, *c)
		}
	}
	if len(refused) > 0 {
		return done, document.Errorf(document.Conflict, "%s", strings.Join(refused, "; "))
	}
	return done, nil
}

// hooksDir asks git where hooks lie; core.hooksPath counts.
func hooksDir(ctx context.Context, repo string) (string, error) {
	return place(ctx, repo, "--git-path", "hooks")
}

// place asks git for a path of a repository.
func place(ctx context.Context, repo string, what ...string) (string, error) {
	abs, err := filepath.Abs(repo)
	if err != nil {
		return "", document.Errorf(document.InvalidRequest, "the path %q cannot be made absolute: %w", repo, err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		return "", document.Errorf(document.Unavailable, "git is not installed, and it is git that runs hooks: install it")
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", document.Errorf(document.NotFound, "%s is no folder: check the path", abs)
	}
	cmd := exec.CommandContext(ctx, "git", append([]string{"rev-parse"}, what...)...)
	cmd.Dir, cmd.Env = abs, gitrepo.Environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", document.Errorf(document.NotFound, "%s is not in a git repository (%s): check the path", abs, firstLine(stderr.String()))
	}
	dir := strings.TrimSuffix(string(out), "\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(abs, dir)
	}
	return dir, nil
}

func install(path, name string, command []string) (*Change, error) {
	old, mode, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Change{Name: name, Path: path}, replace(path, []byte(shebang+block(name, command, made)), 0o755)
	}
	if err != nil {
		return nil, err
	}
	byHand := func(why string) error {
		return document.Errorf(document.Conflict, "the hook %s %s: add this line to it by hand: %s", path, why, call(name, command))
	}
	switch {
	case mode&fs.ModeSymlink != 0:
		return nil, byHand("is a symbolic link, so its target was left as it is")
	case !mode.IsRegular():
		return nil, byHand("is no regular file")
	case mode&0o111 == 0:
		return nil, document.Errorf(document.Conflict, "the hook %s is there, but git does not run it because it is not executable: make it so or delete it, and install again", path)
	}
	script, ok := insert(old, name, command)
	if !ok {
		return nil, byHand("is no shell script")
	}
	rest, wasMade := remove(script)
	c := &Change{Name: name, Path: path, Kept: !wasMade || len(rest) > 0}
	if bytes.Equal(script, old) {
		return c, nil
	}
	return c, replace(path, script, mode.Perm())
}

func uninstall(path, name string) (*Change, error) {
	old, mode, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rest, wasMade := remove(old)
	switch {
	case wasMade && len(rest) == 0:
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("remove hook: %w", err)
		}
		return &Change{Name: name, Path: path}, nil
	case wasMade:
		rest = append([]byte(shebang), rest...) // somebody added to it since
	case bytes.Equal(rest, old) || !mode.IsRegular():
		return nil, nil
	}
	return &Change{Name: name, Path: path, Kept: true}, replace(path, rest, mode.Perm())
}

// read returns a hook and what it is; only regular files are read.
func read(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, 0, fmt.Errorf("look at hook: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, info.Mode(), nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fmt.Errorf("read hook: %w", err)
	}
	return b, info.Mode(), nil
}

// replace writes a file as a whole: git may run the hook at any moment. The
// owner stays where that is allowed.
func replace(path string, content []byte, mode fs.FileMode) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".freshet-hook-*")
	if err != nil {
		return fmt.Errorf("write hook: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Chmod(mode))
	if info, serr := os.Lstat(path); serr == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			_ = tmp.Chown(int(st.Uid), int(st.Gid)) // fails for a file that is not ours, which is no harm
		}
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("write hook: %w", err)
	}
	if err = os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write hook: %w", err)
	}
	return nil
}

// firstLine leaves out what git says on further lines, such as where it stopped
// looking.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

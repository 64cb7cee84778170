package quality

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Checkout returns the folder of the repository's files below its root,
// bringing them from its URL where the cache lacks them. Links and submodules
// are left out.
func Checkout(ctx context.Context, r Repo, cache string) (string, error) {
	home := filepath.Join(cache, r.Name)
	folder := filepath.Join(home, filepath.FromSlash(r.Root))
	if info, err := os.Stat(folder); err == nil && info.IsDir() {
		return folder, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make the cache of repositories: %w", err)
	}
	// Beside its place and renamed at the end: an interrupted download is not
	// taken for a repository.
	partial, err := os.MkdirTemp(cache, "."+r.Name+"-")
	if err != nil {
		return "", fmt.Errorf("make the cache of repositories: %w", err)
	}
	defer os.RemoveAll(partial)
	if err := download(ctx, r, partial); err != nil {
		return "", document.Errorf(document.Unavailable, "cannot bring %s at %s from %s: %w: put its files under %s", r.Name, r.Revision, r.URL, err, home)
	}
	if err := os.Rename(filepath.Join(partial, "files"), home); err != nil {
		return "", fmt.Errorf("keep %s: %w", r.Name, err)
	}
	return folder, nil
}

// download fetches one revision into partial/git and writes its files to
// partial/files.
func download(ctx context.Context, r Repo, partial string) error {
	bare := filepath.Join(partial, "git")
	for _, args := range [][]string{
		{"init", "-q", "--bare", bare},
		{"-C", bare, "fetch", "-q", "--depth", "1", r.URL, r.Revision},
	} {
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[len(args)-1], err, strings.TrimSpace(string(out)))
		}
	}
	args := []string{"-C", bare, "archive", "--format=tar", r.Revision}
	if r.Root != "" {
		args = append(args, r.Root)
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = unpack(out, filepath.Join(partial, "files"))
	_, _ = io.Copy(io.Discard, out)
	return errors.Join(err, cmd.Wait())
}

// unpack writes the regular files of a tar archive below folder. A name that
// leads out of it is an error.
func unpack(r io.Reader, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	archive := tar.NewReader(r)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := filepath.FromSlash(h.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		f, err := root.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, archive)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}

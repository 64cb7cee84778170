package githook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// loginFile lies in the repository's own folder, and not beside the hooks:
// core.hooksPath often leads into the work tree, where it would be committed.
const loginFile = "freshet-announce"

// WriteLogin keeps the login with which the hooks announce, for everybody who
// may run them: the file is readable by the repository's group. shared is false
// where this user cannot give it to that group.
func WriteLogin(ctx context.Context, repo, login string) (path string, shared bool, err error) {
	dir, err := place(ctx, repo, "--git-common-dir")
	if err != nil {
		return "", false, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", false, document.Errorf(document.NotFound, "the folder %s of the repository cannot be read: %w", dir, err)
	}
	path = filepath.Join(dir, loginFile)
	f, err := os.CreateTemp(dir, loginFile+"-") // mode 0600
	if err == nil {
		defer func() { _ = os.Remove(f.Name()) }() // it has its name by then
		_, err = f.WriteString(login + "\n")
		shared = giveTo(f, info)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", false, document.Errorf(document.Forbidden, "the login of the hooks cannot be written to %s: %w", path, err)
	}
	return path, shared, nil
}

// giveTo lets the group of a folder read a file.
func giveTo(f *os.File, folder fs.FileInfo) bool {
	group, ok := groupOf(folder)
	return ok && f.Chown(-1, group) == nil && f.Chmod(0o640) == nil
}

// ReadLogin returns what WriteLogin has written, "" where there is none.
func ReadLogin(ctx context.Context, repo string) string {
	dir, err := place(ctx, repo, "--git-common-dir")
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(dir, loginFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// RemoveLogin undoes WriteLogin. path is "" where there was nothing.
func RemoveLogin(ctx context.Context, repo string) (path string, err error) {
	dir, err := place(ctx, repo, "--git-common-dir")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, loginFile)
	err = os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("remove the login of the hooks: %w", err)
	}
	return path, nil
}

// Package gitrepo reads git repositories: where they lie, what their refs
// name, which files a tree holds, and the blobs in it. Where the git command is
// installed it does the reading, because it knows partial clones, linked
// worktrees, SHA-256 and every other extension; else go-git does.
package gitrepo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/services/watcher/internal/beneath"
)

// Layout says where a repository lies. All paths are absolute.
type Layout struct {
	// Top is the work tree's top directory, "" for a bare repository.
	Top string
	// GitDir holds HEAD and the index; CommonDir holds refs and objects. They
	// differ in a linked worktree only.
	GitDir    string
	CommonDir string
}

// Bare reports whether there is no work tree.
func (l Layout) Bare() bool { return l.Top == "" }

// Dir is the directory in which git commands for the repository run.
func (l Layout) Dir() string {
	if l.Bare() {
		return l.GitDir
	}
	return l.Top
}

// Find returns the repository that path (an absolute directory) is or lies in.
func Find(path string) (Layout, bool, error) {
	if IsGitDir(path) {
		if filepath.Base(path) == ".git" {
			return Layout{Top: filepath.Dir(path), GitDir: path, CommonDir: path}, true, nil
		}
		if _, err := os.Stat(filepath.Join(path, "commondir")); err == nil {
			return linkedByGitDir(path)
		}
		return Layout{GitDir: path, CommonDir: path}, true, nil
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		dot := filepath.Join(dir, ".git")
		info, err := os.Lstat(dot)
		switch {
		case err == nil && info.IsDir() && IsGitDir(dot):
			return Layout{Top: dir, GitDir: dot, CommonDir: dot}, true, nil
		case err == nil && info.Mode().IsRegular():
			gitDir, ok, err := gitFile(dot)
			if err != nil {
				return Layout{}, false, err
			}
			if ok {
				return Layout{Top: dir, GitDir: gitDir, CommonDir: commonDir(gitDir)}, true, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return Layout{}, false, nil
		}
	}
}

// IsGitDir reports whether dir looks like a repository's own directory, by
// the three entries that git itself asks for. One in which git would wait for
// a pipe is none.
func IsGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	for _, name := range []string{"HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "commondir"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.Mode().IsRegular() {
			return false
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "commondir")); err == nil {
		return true // a linked worktree's: refs and objects lie elsewhere
	}
	for _, sub := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, sub)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// maxPointer bounds a file that holds one path, in bytes.
const maxPointer = 64 << 10

// gitFile reads a .git file, which names the git directory.
func gitFile(path string) (gitDir string, ok bool, err error) {
	b, err := beneath.ReadSmall(path, maxPointer)
	if errors.Is(err, beneath.ErrNoSmallFile) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read %s: %w", path, err)
	}
	gitDir, ok = strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), "gitdir: ")
	if !ok {
		return "", false, nil
	}
	if !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(filepath.Dir(path), gitDir)
	}
	return gitDir, IsGitDir(gitDir), nil
}

func commonDir(gitDir string) string {
	b, err := beneath.ReadSmall(filepath.Join(gitDir, "commondir"), maxPointer)
	if err != nil {
		return gitDir
	}
	dir := strings.TrimRight(string(b), "\r\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(gitDir, dir)
	}
	return filepath.Clean(dir)
}

// linkedByGitDir finds the work tree of a linked worktree's git directory,
// which is where hooks that follow a push may run.
func linkedByGitDir(gitDir string) (Layout, bool, error) {
	b, err := beneath.ReadSmall(filepath.Join(gitDir, "gitdir"), maxPointer)
	if err != nil {
		return Layout{}, false, fmt.Errorf("find the work tree of %s: %w", gitDir, err)
	}
	dot := strings.TrimRight(string(b), "\r\n")
	return Layout{Top: filepath.Dir(dot), GitDir: gitDir, CommonDir: commonDir(gitDir)}, true, nil
}

// MetaDirs returns the directories whose direct entries tell that refs have
// moved or rules have changed. Those below refs are found by walking.
func (l Layout) MetaDirs() []string {
	dirs := []string{l.GitDir}
	if l.CommonDir != l.GitDir {
		dirs = append(dirs, l.CommonDir)
	}
	return dirs
}

// Meta says what a change of a file in a git directory means.
type Meta int

// The meanings.
const (
	MetaNone  Meta = iota
	MetaRefs       // a ref may name another commit
	MetaRules      // info/exclude changed
)

// MetaOf returns the meaning of a changed path relative to a git directory.
// The index is left out: it says nothing about the files on disk, and changes
// with every `git status`.
func MetaOf(rel string) Meta {
	switch {
	case strings.HasSuffix(rel, ".lock"):
		return MetaNone
	case rel == "HEAD", rel == "packed-refs", rel == "logs/HEAD",
		strings.HasPrefix(rel, "refs/"), strings.HasPrefix(rel, "reftable/"):
		return MetaRefs
	case rel == "info/exclude":
		return MetaRules
	}
	return MetaNone
}

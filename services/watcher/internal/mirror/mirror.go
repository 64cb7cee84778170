// Package mirror keeps bare copies of one branch of git repositories on other
// machines. It fetches with the git command, so that the user's ssh keys and
// credential helpers serve; nothing asks for a password.
package mirror

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Depth is how many commits of the branch are fetched, its newest included.
const Depth = 101

// Mirror is a bare repository in a folder of its own that holds one branch of
// another. It is safe for concurrent use; nobody else may write into the folder.
type Mirror struct {
	Dir, URL string
	// Branch is the one that is followed, "" for the default one of the remote.
	Branch string

	turn    chan struct{} // holds one: who fetches
	fetched atomic.Bool   // the remote, by this one

	making sync.Mutex
	open   bool
}

// New returns the mirror in a folder, which Open makes.
func New(dir, url, branch string) *Mirror {
	m := &Mirror{Dir: dir, URL: url, Branch: branch, turn: make(chan struct{}, 1)}
	m.turn <- struct{}{}
	return m
}

// Open makes the folder where there is none, and the first time takes away what a fetch
// that was killed has left locked. It waits for no fetch. The error is Unavailable where
// git is not installed.
func (m *Mirror) Open(ctx context.Context) (err error) {
	m.making.Lock()
	defer m.making.Unlock()
	defer func() { m.open = err == nil }()
	if _, err := exec.LookPath("git"); err != nil {
		return document.Errorf(document.Unavailable, "git is not installed, which fetches %s: install it", m.URL)
	}
	if _, err := os.Stat(filepath.Join(m.Dir, "HEAD")); err == nil {
		if m.open {
			return nil
		}
		return m.unlock()
	}
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return document.Errorf(document.Unavailable, "the copy of %s cannot be made: %w", m.URL, err)
	}
	_, err = m.git(ctx, "init", "-q", "--bare", "--template=", m.Dir)
	return err
}

// unlock removes lock files: whoever made one is dead.
func (m *Mirror) unlock() error {
	return filepath.WalkDir(m.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".lock") {
			return err
		}
		return os.Remove(path)
	})
}

// Fetched reports whether this Mirror has fetched the remote.
func (m *Mirror) Fetched() bool { return m.fetched.Load() }

// Fetch brings the mirror in line with the remote, in a fetch that began after the
// call, and reports whether it changed. Where the remote does not answer, or
// refuses, the mirror stays as it was. The errors are NotFound, Forbidden and
// Unavailable.
func (m *Mirror) Fetch(ctx context.Context) (changed bool, err error) {
	select {
	case <-m.turn:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { m.turn <- struct{}{} }()
	before, err := m.state(ctx)
	if err != nil {
		return false, err
	}
	branch := m.Branch
	if branch == "" {
		var there bool
		if branch, there, err = m.defaultBranch(ctx); err != nil {
			return false, err
		}
		if !there {
			if before.commit != "" {
				return false, document.Errorf(document.NotFound, "%s has no commit any more: what was fetched of it before is kept", m.URL)
			}
			m.fetched.Store(true)
			return false, nil
		}
	}
	ref := "refs/heads/" + branch
	if _, err := m.git(ctx, "fetch", "-q", "--no-tags", "--force", "--depth="+strconv.Itoa(Depth), "--recurse-submodules=no", "--", m.URL, "+"+ref+":"+ref); err != nil {
		return false, err
	}
	if before.ref != ref {
		if _, err := m.git(ctx, "symbolic-ref", "HEAD", ref); err != nil {
			return false, err
		}
		if before.commit != "" {
			if _, err := m.git(ctx, "update-ref", "-d", before.ref); err != nil {
				return false, err
			}
		}
	}
	after, err := m.state(ctx)
	if err != nil {
		return false, err
	}
	m.fetched.Store(true)
	return before != after, nil
}

// state is what HEAD of the mirror names.
type state struct{ ref, commit string }

func (m *Mirror) state(ctx context.Context) (s state, err error) {
	ref, err := m.git(ctx, "symbolic-ref", "HEAD")
	if err != nil {
		return s, err
	}
	s.ref = strings.TrimSpace(ref)
	commit, err := m.git(ctx, "for-each-ref", "--format=%(objectname)", s.ref)
	s.commit = strings.TrimSpace(commit)
	return s, err
}

// defaultBranch asks the remote which branch its HEAD names. there is false where it
// has no commit.
func (m *Mirror) defaultBranch(ctx context.Context) (branch string, there bool, err error) {
	out, err := m.git(ctx, "ls-remote", "--symref", "--", m.URL, "HEAD")
	if err != nil || strings.TrimSpace(out) == "" {
		return "", false, err
	}
	for line := range strings.Lines(out) {
		if ref, found := strings.CutPrefix(line, "ref: refs/heads/"); found {
			branch, _, _ = strings.Cut(ref, "\t")
			return branch, true, nil
		}
	}
	return "", false, document.Errorf(document.NotFound, "%s names no default branch: name the one to follow", m.URL)
}

// Remove takes the folder away, once nobody fetches.
func (m *Mirror) Remove() error {
	<-m.turn
	defer func() { m.turn <- struct{}{} }()
	m.making.Lock()
	defer m.making.Unlock()
	m.open = false
	m.fetched.Store(false)
	return os.RemoveAll(m.Dir)
}

// told says what git's complaint means. The first that is contained counts.
var told = []struct {
	says string
	kind document.ErrorKind
	why  string
}{
	{"could not read Username", document.Forbidden, "asks for a login: give git a credential helper that has one"},
	{"could not read Password", document.Forbidden, "asks for a password: give git a credential helper that has it"},
	{"Authentication failed", document.Forbidden, "refuses the login that git has"},
	{"Permission denied", document.Forbidden, "refuses the ssh key, or its passphrase is not with an agent"},
	{"Host key verification failed", document.Forbidden, "is a host that ssh does not know: connect to it once by hand"},
	{"couldn't find remote ref", document.NotFound, "has no such branch"},
	{"does not appear to be a git repository", document.NotFound, "is no git repository"},
	{"not found", document.NotFound, "is not there, or is not shown to this user"},
	{"does not exist", document.NotFound, "is not there, or is not shown to this user"},
}

// refusal makes an error of what git printed.
func (m *Mirror) refusal(stderr string, err error) error {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if first == "" || strings.HasPrefix(line, "fatal:") && !strings.HasPrefix(first, "fatal:") {
			first = line
		}
	}
	for _, t := range told {
		if strings.Contains(stderr, t.says) {
			return document.Errorf(t.kind, "%s %s (%s)", m.URL, t.why, document.Shorten(first))
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && first != "" {
		return document.Errorf(document.Unavailable, "%s cannot be fetched: %s", m.URL, document.Shorten(first))
	}
	return document.Errorf(document.Unavailable, "%s cannot be fetched: %w", m.URL, err)
}

package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// library reads a repository with go-git. It is opened anew for every head,
// because go-git does not notice packs that came later.
type library struct {
	layout Layout
	mu     sync.Mutex // go-git's object storage is not safe for concurrent use
	repo   *gogit.Repository
}

func newLibrary(l Layout) (*library, error) {
	lib := &library{layout: l}
	return lib, lib.reopen()
}

func (l *library) reopen() error {
	repo, err := gogit.PlainOpenWithOptions(l.layout.Dir(), &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
	if err != nil {
		return fmt.Errorf("open repository %s: %w", l.layout.Dir(), err)
	}
	l.repo = repo
	return nil
}

func (l *library) close() {}

func (l *library) head(_ context.Context, branch string) (Head, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.reopen(); err != nil {
		return Head{}, err
	}
	h := Head{Branch: branch}
	name := plumbing.NewBranchReferenceName(branch)
	if branch == "" {
		ref, err := l.repo.Reference(plumbing.HEAD, false)
		if err != nil {
			return h, err
		}
		name, h.Branch = plumbing.HEAD, "HEAD"
		if ref.Type() == plumbing.SymbolicReference {
			name, h.Branch = ref.Target(), ref.Target().Short()
		}
	}
	ref, err := l.repo.Reference(name, true)
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	h.Commit = ref.Hash().String()
	return h, nil
}

func (l *library) tree(ctx context.Context, commit string) ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, err := l.repo.CommitObject(plumbing.NewHash(commit))
	if err != nil {
		return nil, err
	}
	var entries []Entry
	err = l.list(ctx, c.TreeHash, "", &entries)
	return entries, err
}

// list walks a tree itself: go-git's walker refuses names with control
// characters, which git lets in.
func (l *library) list(ctx context.Context, hash plumbing.Hash, prefix string, entries *[]Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tree, err := l.repo.TreeObject(hash)
	if err != nil {
		return err
	}
	for _, e := range tree.Entries {
		if e.Mode == filemode.Dir {
			if err := l.list(ctx, e.Hash, prefix+e.Name+"/", entries); err != nil {
				return err
			}
			continue
		}
		*entries = append(*entries, Entry{Mode: uint32(e.Mode), Blob: e.Hash.String(), Path: prefix + e.Name})
	}
	return nil
}

func (l *library) ancestors(_ context.Context, commit string, n int) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	iter, err := l.repo.Log(&gogit.LogOptions{From: plumbing.NewHash(commit), Order: gogit.LogOrderCommitterTime})
	if err != nil {
		return nil, err
	}
	defer iter.Close()
	var list []string
	for len(list) < n {
		c, err := iter.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, plumbing.ErrObjectNotFound) {
			break // the end of the history, or of a shallow clone
		}
		if err != nil {
			return nil, err
		}
		if id := c.Hash.String(); id != commit {
			list = append(list, id)
		}
	}
	return list, nil
}

func (l *library) size(_ context.Context, blob string) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.repo.Storer.EncodedObjectSize(plumbing.NewHash(blob))
}

func (l *library) blob(_ context.Context, blob string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, err := l.repo.BlobObject(plumbing.NewHash(blob))
	if err != nil {
		return nil, err
	}
	r, err := b.Reader()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r)
	return content, errors.Join(err, r.Close())
}

func (l *library) excludesFile(context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	local, err := l.repo.Config()
	if err != nil {
		return "", err
	}
	global, err := config.LoadConfig(config.GlobalScope)
	if err != nil {
		return "", err
	}
	for _, c := range []*config.Config{local, global} {
		name := c.Raw.Section("core").Option("excludesfile")
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", err
			}
			name = filepath.Join(home, rest)
		}
		if name != "" {
			return name, nil
		}
	}
	return "", nil
}

func (l *library) trackedIgnored(_ context.Context, ignored func(string) bool) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	index, err := l.repo.Storer.Index()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range index.Entries {
		if ignored(e.Name) {
			out = append(out, e.Name)
		}
	}
	return out, nil
}

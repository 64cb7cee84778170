package watcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// truth is what a view is compared with: the files on disk, or a commit's
// tree. Implementations are safe for concurrent use.
type truth interface {
	// walk emits every candidate at and below a path ("" for everything). Its
	// error is a failure to read the source; emit fails only with ctx.
	walk(ctx context.Context, raw string, emit func(scan.Candidate) error) error
	look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error)
	// statOnly returns the same truth as it looks by name, type and size alone:
	// what it finds to be put has no content, and may turn out to be none.
	statOnly() truth
	// reachable fails when the source as a whole cannot be read now.
	reachable() error
	// commit is the commit that documents are of, "" for files on disk.
	commit() string
}

// onDisk is the truth of folders and work trees.
type onDisk struct {
	*scan.Disk
	enter func(raw string) // registers a watch
}

func (d onDisk) walk(ctx context.Context, raw string, emit func(scan.Candidate) error) error {
	if !d.Enterable(raw) {
		return emit(scan.Candidate{Raw: raw, Named: true})
	}
	if raw != "" {
		// A directory that took a file's place: the file has to go.
		if err := emit(scan.Candidate{Raw: raw}); err != nil {
			return err
		}
	}
	return d.Walk(ctx, raw, d.enter, emit)
}

func (d onDisk) look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error) {
	return d.Look(ctx, c, known, park)
}

func (d onDisk) statOnly() truth {
	disk := *d.Disk
	disk.StatOnly = true
	return onDisk{&disk, nil}
}

func (d onDisk) reachable() error {
	info, err := os.Stat(d.Root)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return document.Errorf(document.Unavailable, "the folder %s cannot be read: mount or restore it, or remove the source: %w", d.Root, err)
	}
	return nil
}

func (d onDisk) commit() string { return "" }

// inTree is the truth of a bare repository: one commit's tree.
type inTree struct {
	repo    *gitrepo.Repo
	head    gitrepo.Head
	entries []gitrepo.Entry
	byPath  map[string]int // index in entries
	rules   *ignore.Set
	limit   int64
	budget  *scan.Budget
	unread  bool // stat only
	always  bool // read every blob, whatever its name says
}

// readTree returns the truth of a commit. Only .freshetignore and what is left out
// of the source have a say in it, besides what is built in: what git tracks, git
// does not ignore.
func readTree(ctx context.Context, o *origin, head gitrepo.Head) (*inTree, error) {
	repo, limit, budget := o.repo, o.limit, o.budget
	entries, err := repo.Tree(ctx, head.Commit)
	if err != nil {
		return nil, err
	}
	t := &inTree{repo: repo, head: head, entries: entries, byPath: make(map[string]int, len(entries)), limit: limit, budget: budget}
	for i, e := range entries {
		t.byPath[e.Path] = i
	}
	ruleFiles := map[string][]byte{}
	for i, e := range entries {
		if e.Type() == gitrepo.ModeFile && ignore.IsRuleFile(baseOf(e.Path)) {
			if ruleFiles[e.Path], err = t.small(ctx, &entries[i]); err != nil {
				return nil, err
			}
		}
	}
	t.rules = ignore.New(ignore.Options{LeftOut: o.excluded(), Read: func(rel string) ([]byte, bool) {
		if b, ok := ruleFiles[rel]; ok {
			return b, true
		}
		_, ok := t.byPath[rel] // a mark of build output, if it is tracked
		return nil, ok
	}})
	return t, nil
}

// small reads an ignore file, unless it is too large to be one.
func (t *inTree) small(ctx context.Context, e *gitrepo.Entry) ([]byte, error) {
	size, err := t.repo.Size(ctx, e.Blob)
	var content []byte
	if err == nil && size <= t.limit {
		content, err = t.repo.Blob(ctx, e.Blob)
	}
	if errors.Is(err, gitrepo.ErrBadObject) {
		return nil, nil // as one on disk that may not be read; it is named as a document
	}
	return content, err
}

func (t *inTree) statOnly() truth {
	same := *t
	same.unread = true
	return &same
}

// reachable needs no look: the tree was read before.
func (t *inTree) reachable() error { return nil }

func (t *inTree) commit() string { return t.head.Commit }

func (t *inTree) walk(_ context.Context, _ string, emit func(scan.Candidate) error) error {
	for i := range t.entries {
		if err := emit(scan.Candidate{Raw: t.entries[i].Path, Walked: true}); err != nil {
			return err
		}
	}
	return nil
}

// unsafePath reports whether no work tree could hold a path.
func unsafePath(raw string) bool {
	return raw == "." || path.Clean(raw) != raw || !filepath.IsLocal(raw)
}

// maxNamed bounds an encoded path in bytes: it has to fit into the headers of
// every message, which the log takes up to 64 KiB of. A work tree's paths are
// always shorter, because the system bounds them.
const maxNamed = 16 << 10

func (t *inTree) look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error) {
	f := scan.Finding{Path: document.EncodePath(c.Raw)}
	i, ok := t.byPath[c.Raw]
	if !ok {
		f.Kind = scan.Gone
		return f, nil
	}
	if len(f.Path) > maxNamed {
		f.Kind, f.Reason = scan.Gone, classify.LongPath
		return f, nil
	}
	e := t.entries[i]
	f.Collection, f.Blob = classify.Collection(f.Path), e.Blob
	skip := func(r classify.Reason) (scan.Finding, error) {
		f.Kind, f.Reason = scan.Skip, r
		if known.Op == contract.OpSkipped && known.Reason == string(r) {
			f.Kind = scan.Same
		}
		return f, nil
	}
	if unsafePath(c.Raw) {
		return skip(classify.UnsafePath)
	}
	var dec ignore.Decision
	if c.Raw != accessFile { // no rule leaves that out
		dec = t.rules.Decide(c.Raw, false)
	}
	switch {
	case dec.Ignored && dec.Class != ignore.ClassSecret:
		f.Kind, f.Reason = scan.Gone, classify.Reason(dec.Reason())
		return f, nil
	case dec.Ignored:
		return skip(classify.SecretName(dec.Rule))
	case e.Type() == gitrepo.ModeModule:
		return skip(classify.Submodule)
	case e.Type() == gitrepo.ModeLink:
		return skip(classify.SymLink)
	}
	if r := classify.Name(f.Path); r != "" {
		return skip(r)
	}
	if !t.always && known.Blob == e.Blob && (known.Op == contract.OpPut && known.Collection == f.Collection && known.Size <= format.Limit(f.Path, t.limit) ||
		known.Op == contract.OpSkipped && scan.FromContent(known.Reason)) {
		return f, nil
	}
	bad := func(err error) (scan.Finding, error) {
		if !errors.Is(err, gitrepo.ErrBadObject) {
			return f, err
		}
		if known.Op == contract.OpPut && known.Blob == e.Blob {
			f.Reason = classify.BadObject // what is known of it is what it was
			return f, nil
		}
		return skip(classify.BadObject)
	}
	size, err := t.repo.Size(ctx, e.Blob)
	if err != nil {
		return bad(err)
	}
	f.Size = size
	if limit := format.Limit(f.Path, t.limit); size > limit {
		return skip(classify.TooLarge(limit))
	}
	if t.unread {
		f.Kind = scan.Put
		return f, nil
	}
	if f.Weight, err = t.budget.Take(ctx, size, park); err != nil {
		return f, err
	}
	drop := func() {
		t.budget.Give(f.Weight)
		f.Weight = 0
	}
	content, err := t.repo.Blob(ctx, e.Blob)
	if err != nil {
		drop()
		return bad(err)
	}
	if int64(len(content)) != size {
		drop()
		return f, fmt.Errorf("blob %s has %d bytes instead of %d", e.Blob, len(content), size)
	}
	r := classify.Head(f.Path, content, dec.Named)
	if r == "" {
		content, r = classify.Text(f.Path, f.Collection, content, dec.Named)
	}
	if r != "" {
		drop()
		return skip(r)
	}
	if f.Hash = document.HashOf(content); known.Op == contract.OpPut && known.Hash == f.Hash && known.Collection == f.Collection {
		drop()
		return f, nil
	}
	f.Kind, f.Content = scan.Put, content
	return f, nil
}

func baseOf(raw string) string { return raw[strings.LastIndexByte(raw, '/')+1:] }

func dirOf(raw string) string { return raw[:max(0, strings.LastIndexByte(raw, '/'))] }

// nothing is the truth of a view that is given up.
type nothing struct{}

func (nothing) walk(context.Context, string, func(scan.Candidate) error) error { return nil }

func (nothing) look(_ context.Context, c scan.Candidate, _ contract.FileHead, _ scan.Parker) (scan.Finding, error) {
	return scan.Finding{Kind: scan.Gone, Path: document.EncodePath(c.Raw)}, nil
}

func (n nothing) statOnly() truth { return n }

func (nothing) reachable() error { return nil }

func (nothing) commit() string { return "" }

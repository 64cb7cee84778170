package origin

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// InTree is the truth of a bare repository: one commit's tree.
type InTree struct {
	repo    *gitrepo.Repo
	head    gitrepo.Head
	Entries []gitrepo.Entry
	byPath  map[string]int // index in entries
	Rules   *ignore.Set
	limit   int64
	budget  *scan.Budget
	unread  bool // stat only
	always  bool // read every blob, whatever its name says

	collection func(document.Path) document.Collection
}

// ReadTree returns the truth of a commit. Only .freshetignore and what is left out
// of the source have a say in it, besides what is built in: what git tracks, git
// does not ignore.
func ReadTree(ctx context.Context, o *Origin, head gitrepo.Head) (*InTree, error) {
	repo, limit, budget := o.Repo, o.Limit, o.Budget
	entries, err := repo.Tree(ctx, head.Commit)
	if err != nil {
		return nil, err
	}
	t := &InTree{repo: repo, head: head, Entries: entries, byPath: make(map[string]int, len(entries)), limit: limit, budget: budget, collection: o.Collection}
	for i, e := range entries {
		t.byPath[e.Path] = i
	}
	ruleFiles := map[string][]byte{}
	for i, e := range entries {
		if e.Type() == gitrepo.ModeFile && ignore.IsRuleFile(path.Base(e.Path)) {
			if ruleFiles[e.Path], err = t.small(ctx, &entries[i]); err != nil {
				return nil, err
			}
		}
	}
	t.Rules = ignore.New(ignore.Options{LeftOut: o.Excluded(), Read: func(rel string) ([]byte, bool) {
		if b, ok := ruleFiles[rel]; ok {
			return b, true
		}
		_, ok := t.byPath[rel] // a mark of build output, if it is tracked
		return nil, ok
	}})
	return t, nil
}

// Holds reports whether a tree has something below a path.
func (t *InTree) Holds(raw string) bool {
	for i := range t.Entries {
		if strings.HasPrefix(t.Entries[i].Path, raw+"/") {
			return true
		}
	}
	return false
}

// Entry returns what the tree has of a path.
func (t *InTree) Entry(raw string) (gitrepo.Entry, bool) {
	i, ok := t.byPath[raw]
	if !ok {
		return gitrepo.Entry{}, false
	}
	return t.Entries[i], true
}

// small reads an ignore file, unless it is too large to be one.
func (t *InTree) small(ctx context.Context, e *gitrepo.Entry) ([]byte, error) {
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

// StatOnly is Truth's.
func (t *InTree) StatOnly() Truth {
	same := *t
	same.unread = true
	return &same
}

// Reachable needs no look: the tree was read before.
func (t *InTree) Reachable() error { return nil }

// Commit is the one whose tree it is.
func (t *InTree) Commit() string { return t.head.Commit }

// Walk emits everything: one tree is always read as a whole.
func (t *InTree) Walk(_ context.Context, _ string, emit func(scan.Candidate) error) error {
	for i := range t.Entries {
		if err := emit(scan.Candidate{Raw: t.Entries[i].Path, Walked: true}); err != nil {
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

// Look is Truth's. A blob that cannot be read costs its document alone.
func (t *InTree) Look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error) {
	f := scan.Finding{Path: document.EncodePath(c.Raw)}
	e, ok := t.Entry(c.Raw)
	if !ok {
		f.Kind = scan.Gone
		return f, nil
	}
	if len(f.Path) > maxNamed {
		f.Kind, f.Reason = scan.Gone, classify.LongPath
		return f, nil
	}
	f.Collection, f.Blob = t.collection(f.Path), e.Blob
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
	if c.Raw != AccessFile { // no rule leaves that out
		dec = t.Rules.Decide(c.Raw, false)
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

// measure adds what a look does not ask git for: the size, and the topmost
// folder that the rule is about.
func (t *InTree) measure(ctx context.Context, raw string, e *Entry) error {
	entry, _ := t.Entry(raw)
	if e.Bytes == 0 && entry.Type() == gitrepo.ModeFile {
		size, err := t.repo.Size(ctx, entry.Blob)
		if err != nil && !errors.Is(err, gitrepo.ErrBadObject) {
			return err
		}
		e.Bytes = size
	}
	for i := range len(raw) {
		if e.Outcome == Ignored && raw[i] == '/' && t.Rules.Dir(raw[:i]).Self().Ignored {
			e.Path, e.Folder = document.EncodePath(raw[:i]), true
			break
		}
	}
	return nil
}

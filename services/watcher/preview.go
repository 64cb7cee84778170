package watcher

import (
	"context"
	"log/slog"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// Outcome says what a comparison with an empty log would make of a path.
type Outcome string

// The outcomes.
const (
	Indexed Outcome = "indexed" // a document with content
	Skipped Outcome = "skipped" // a document without, for a reason that the log keeps
	Ignored Outcome = "ignored" // left out by a rule; the log knows nothing of it
)

// Entry is one path of a source.
type Entry struct {
	// Path is that of a file, or of a Folder that is left out as a whole.
	Path       document.Path
	Folder     bool
	Outcome    Outcome
	Collection document.Collection // "" for what is ignored
	// Reason is the one that the log would have, or the rule with the file and
	// line that it stands in; "" for Indexed.
	Reason string
	Files  int // 1, or how many lie below a folder
	Bytes  int64
	// Content is that of an indexed document. It belongs to the visit.
	Content []byte
}

// Preview reads a folder or repository with the eyes of the watcher: the same
// rules, limits and readers. It needs no log and writes nothing.
type Preview struct {
	origin *origin
	truth  truth
	view   document.View
	head   gitrepo.Head
}

// OpenPreview opens the source that a path stands for; branch is for bare
// repositories, "" for the default one. Of cfg only Exclude and the limits are of interest.
// The caller closes the Preview. Errors are those of adding the source.
func OpenPreview(ctx context.Context, cfg Config, path, branch string) (*Preview, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	r, err := readingOf(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	p, err := locate(path)
	if err != nil {
		return nil, err
	}
	if err := p.takesBranch(branch); err != nil {
		return nil, err
	}
	v := &Preview{origin: newOrigin(&r, slugFor(p), p)}
	v.origin.pinned, v.origin.exclude = branch, cfg.Exclude
	if err := v.origin.open(cfg.Git); err != nil {
		return nil, err
	}
	if v.truth, v.view, v.head, err = v.origin.current(ctx); err == nil {
		err = v.origin.branchThere(v.head)
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// Close ends the reader of the repository. No call may be under way.
func (v *Preview) Close() { v.origin.close() }

// Source describes the source as it would be registered, without any counts.
func (v *Preview) Source() contract.SourceInfo {
	i := contract.SourceInfo{
		Source: v.origin.name, Root: v.origin.place.root, Kind: v.origin.place.kind,
		View: v.view, Branch: v.head.Branch, Commit: v.head.Commit,
	}
	if v.origin.repo != nil {
		i.Git = v.origin.repo.Reader()
	}
	return i
}

// Each calls visit for everything that is there. It is called from several
// goroutines at once; its first error ends the preview.
func (v *Preview) Each(ctx context.Context, visit func(Entry) error) error {
	if err := v.truth.reachable(); err != nil {
		return err
	}
	return v.origin.traverse(ctx, v.truth, true, visit)
}

// Read returns the content of a document, as Each had it; ok is false when it
// is none, or none any more.
func (v *Preview) Read(ctx context.Context, path document.Path) (content []byte, ok bool, err error) {
	f, err := v.truth.look(ctx, scan.Candidate{Raw: path.Raw()}, contract.FileHead{}, nil)
	v.origin.budget.Give(f.Weight)
	return f.Content, err == nil && f.Kind == scan.Put, err
}

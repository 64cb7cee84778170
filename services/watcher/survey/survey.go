// Package survey reads a folder or repository with the eyes of the watcher: the same
// rules, limits and readers. It needs no log, and writes nothing.
package survey

import (
	"context"
	"log/slog"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// What a comparison with an empty log would make of a path.
const (
	Indexed = origin.Indexed
	Skipped = origin.Skipped
	Ignored = origin.Ignored
)

// Outcome says what a comparison with an empty log would make of a path.
type Outcome = origin.Outcome

// Entry is one path of a source.
type Entry = origin.Entry

// Survey is a source that was opened. Its methods are safe for concurrent use, but for
// Close.
type Survey struct {
	origin *origin.Origin
	truth  origin.Truth
	view   document.View
	head   gitrepo.Head
}

// Options are what can be asked of a source.
type Options struct {
	Branch  string   // of a bare repository, "" for the default one
	Exclude []string // what is left out: lines of a .gitignore at its root
}

// Open opens the source that a path stands for, by the configuration of a freshet, whose
// own folder is left out. The caller closes the Survey. Errors are those of adding the
// source, and an InvalidRequest for what was left out of cfg.
func Open(ctx context.Context, cfg config.Config, path string, o Options) (*Survey, error) {
	if err := config.Filled("watcher", cfg.Watcher); err != nil {
		return nil, err
	}
	state, err := instance.Locate(cfg.Data)
	if err != nil {
		return nil, err
	}
	collections, err := classify.NewCollections(cfg.Collections.Own)
	if err != nil {
		return nil, err
	}
	r, err := origin.NewReading(int64(cfg.Watcher.MaxFileSize), state, collections, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	p, err := origin.Locate(path)
	if err != nil {
		return nil, err
	}
	if err := p.TakesBranch(o.Branch); err != nil {
		return nil, err
	}
	s := &Survey{origin: origin.New(&r, p.Slug(), p)}
	s.origin.Pinned = o.Branch
	s.origin.SetExcluded(o.Exclude)
	if err := s.origin.Open(cfg.Watcher.Git); err != nil {
		return nil, err
	}
	if s.truth, s.view, s.head, err = s.origin.Current(ctx); err == nil {
		err = s.origin.BranchThere(s.head)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the reader of the repository. No call may be under way.
func (s *Survey) Close() { s.origin.Close() }

// Source describes the source as it would be registered, without any counts.
func (s *Survey) Source() contract.SourceInfo {
	i := contract.SourceInfo{
		Source: s.origin.Name, Root: s.origin.Place.Root, Kind: s.origin.Place.Kind,
		View: s.view, Branch: s.head.Branch, Commit: s.head.Commit,
	}
	if s.origin.Repo != nil {
		i.Git = s.origin.Repo.Reader()
	}
	return i
}

// Each calls visit for everything that is there. It is called from several
// goroutines at once; its first error ends the survey.
func (s *Survey) Each(ctx context.Context, visit func(Entry) error) error {
	if err := s.truth.Reachable(); err != nil {
		return err
	}
	return s.origin.Traverse(ctx, s.truth, true, visit)
}

// Read returns the content of a document, as Each had it; ok is false when it
// is none, or none any more.
func (s *Survey) Read(ctx context.Context, path document.Path) (content []byte, ok bool, err error) {
	f, err := s.truth.Look(ctx, scan.Candidate{Raw: path.Raw()}, contract.FileHead{}, nil)
	s.origin.Budget.Give(f.Weight)
	return f.Content, err == nil && f.Kind == scan.Put, err
}

// Locate returns the root and the kind of the source that a path stands for: a
// bare repository, the work tree that the path lies in, or the folder itself.
// The error's kind is NotFound, Forbidden or InvalidRequest.
func Locate(path string) (root, kind string, err error) {
	p, err := origin.Locate(path)
	return p.Root, p.Kind, err
}

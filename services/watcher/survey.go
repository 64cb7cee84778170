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

// Survey reads a folder or repository with the eyes of the watcher: the same
// rules, limits and readers. It needs no log and writes nothing.
type Survey struct {
	origin *origin
	truth  truth
	view   document.View
	head   gitrepo.Head
}

// OpenSurvey opens the source that a path stands for; branch is for bare
// repositories, "" for the default one. Of cfg only Exclude and the limits are of interest.
// The caller closes the Survey. Errors are those of adding the source.
func OpenSurvey(ctx context.Context, cfg Config, path, branch string) (*Survey, error) {
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
	s := &Survey{origin: newOrigin(&r, slugFor(p), p)}
	s.origin.pinned, s.origin.exclude = branch, cfg.Exclude
	if err := s.origin.open(cfg.Git); err != nil {
		return nil, err
	}
	if s.truth, s.view, s.head, err = s.origin.current(ctx); err == nil {
		err = s.origin.branchThere(s.head)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the reader of the repository. No call may be under way.
func (s *Survey) Close() { s.origin.close() }

// Source describes the source as it would be registered, without any counts.
func (s *Survey) Source() contract.SourceInfo {
	i := contract.SourceInfo{
		Source: s.origin.name, Root: s.origin.place.root, Kind: s.origin.place.kind,
		View: s.view, Branch: s.head.Branch, Commit: s.head.Commit,
	}
	if s.origin.repo != nil {
		i.Git = s.origin.repo.Reader()
	}
	return i
}

// Each calls visit for everything that is there. It is called from several
// goroutines at once; its first error ends the survey.
func (s *Survey) Each(ctx context.Context, visit func(Entry) error) error {
	if err := s.truth.reachable(); err != nil {
		return err
	}
	return s.origin.survey(ctx, s.truth, true, visit)
}

// Read returns the content of a document, as Each had it; ok is false when it
// is none, or none any more.
func (s *Survey) Read(ctx context.Context, path document.Path) (content []byte, ok bool, err error) {
	f, err := s.truth.look(ctx, scan.Candidate{Raw: path.Raw()}, contract.FileHead{}, nil)
	s.origin.budget.Give(f.Weight)
	return f.Content, err == nil && f.Kind == scan.Put, err
}

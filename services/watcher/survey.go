package watcher

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
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
	// Path is that of a file, or of a folder that is left out as a whole.
	Path       document.Path
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
	src   *source
	truth truth
	view  document.View
	head  gitrepo.Head
}

// OpenSurvey opens the source that a path stands for; branch is for bare
// repositories, "" for the default one. Of cfg the roots are of no interest.
// The caller closes the Survey. Errors are those of adding the source.
func OpenSurvey(ctx context.Context, cfg Config, path, branch string) (*Survey, error) {
	svc, err := New(cfg, nil, slog.New(slog.DiscardHandler))
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
	s := &Survey{src: newSource(svc, slugFor(p))}
	s.src.place, s.src.pinned = p, branch
	if p.kind != contract.SourceFolder {
		if s.src.repo, err = gitrepo.Open(p.layout, svc.cfg.Git); err != nil {
			return nil, err
		}
	}
	if s.truth, s.view, s.head, err = s.src.currentTruth(ctx); err == nil {
		err = s.src.branchThere(s.head)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close ends the reader of the repository. No call may be under way.
func (s *Survey) Close() {
	if s.src.repo != nil {
		s.src.repo.Close()
	}
}

// Source describes the source as it would be registered, without any counts.
func (s *Survey) Source() contract.SourceInfo {
	i := contract.SourceInfo{
		Source: s.src.name, Root: s.src.place.root, Kind: s.src.place.kind,
		View: s.view, Branch: s.head.Branch, Commit: s.head.Commit,
	}
	if s.src.repo != nil {
		i.Git = s.src.repo.Reader()
	}
	return i
}

// Each calls visit for everything that is there. It is called from several
// goroutines at once; its first error ends the survey.
func (s *Survey) Each(ctx context.Context, visit func(Entry) error) error {
	if err := s.truth.reachable(); err != nil {
		return err
	}
	return s.src.survey(ctx, s.truth, true, visit)
}

// Read returns the content of a document, as Each had it; ok is false when it
// is none, or none any more.
func (s *Survey) Read(ctx context.Context, path document.Path) (content []byte, ok bool, err error) {
	f, err := s.truth.look(ctx, scan.Candidate{Raw: path.Raw()}, contract.FileHead{}, nil)
	s.src.budget.Give(f.Weight)
	return f.Content, err == nil && f.Kind == scan.Put, err
}

// survey visits everything that a truth holds, and where asked also what its
// rules leave out. Failures to read the source are returned after everything
// else was visited; an error of visit ends it.
func (s *source) survey(ctx context.Context, t truth, ignored bool, visit func(Entry) error) error {
	g, gctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	var failed error
	fail := func(err error) error {
		if gctx.Err() != nil {
			return gctx.Err()
		}
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
		return nil
	}
	look := func(c scan.Candidate) error {
		f, err := t.look(gctx, c, contract.FileHead{}, nil)
		if err != nil {
			return fail(err)
		}
		defer s.budget.Give(f.Weight)
		e, ok := entryOf(f)
		if !ok || e.Outcome == Ignored && !ignored {
			return nil
		}
		if in, bare := t.(*inTree); bare && ignored && e.Outcome != Indexed {
			if err := in.measure(gctx, c.Raw, &e); err != nil {
				return fail(err)
			}
		}
		return visit(e)
	}
	tasks := make(chan func() error, 64)
	send := func(task func() error) error {
		select {
		case tasks <- task:
			return nil
		case <-gctx.Done():
			return gctx.Err()
		}
	}
	if d, ok := t.(onDisk); ok && ignored {
		disk := *d.Disk
		disk.Pruned = func(raw string, dec ignore.Decision) {
			_ = send(func() error { return visit(pruned(gctx, disk.Root, raw, dec)) }) // fails with gctx only
		}
		t = onDisk{&disk, nil}
	}
	g.Go(func() error {
		defer close(tasks)
		return fail(t.walk(gctx, "", func(c scan.Candidate) error {
			return send(func() error { return look(c) })
		}))
	})
	for range min(maxScanners, 2*runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			for task := range tasks {
				if err := task(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return failed
}

// entryOf returns the entry of a finding; ok is false where there is none.
func entryOf(f scan.Finding) (e Entry, ok bool) {
	e = Entry{Path: f.Path, Collection: f.Collection, Reason: string(f.Reason), Files: 1, Bytes: f.Size}
	switch f.Kind {
	case scan.Put:
		e.Outcome, e.Content = Indexed, f.Content
	case scan.Skip:
		e.Outcome = Skipped
		if f.Reason == classify.Submodule {
			e.Bytes = 0 // its files are not this source's
		}
	case scan.Unstable:
		e.Outcome, e.Reason = Skipped, "it kept changing while it was read"
	case scan.Gone:
		e.Outcome, e.Collection = Ignored, ""
		return e, f.Reason != "" // else nothing is there
	default:
		return e, false // a directory: what is in it comes by itself
	}
	return e, true
}

// pruned counts what lies below a directory that is left out. What cannot be
// read there is not counted.
func pruned(ctx context.Context, root, raw string, dec ignore.Decision) Entry {
	e := Entry{Path: document.EncodePath(raw), Outcome: Ignored, Reason: dec.Reason()}
	_ = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(raw)), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ctx.Err() // nil goes on beside what cannot be read
		}
		e.Files++
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			e.Bytes += info.Size()
		}
		return nil
	})
	return e
}

// measure adds what a look does not ask git for: the size, and the topmost
// folder that the rule is about.
func (t *inTree) measure(ctx context.Context, raw string, e *Entry) error {
	entry := t.entries[t.byPath[raw]]
	if e.Bytes == 0 && entry.Type() == gitrepo.ModeFile {
		size, err := t.repo.Size(ctx, entry.Blob)
		if err != nil {
			return err
		}
		e.Bytes = size
	}
	for i := range len(raw) {
		if e.Outcome == Ignored && raw[i] == '/' && t.rules.Dir(raw[:i]).Self().Ignored {
			e.Path = document.EncodePath(raw[:i])
			break
		}
	}
	return nil
}

package watcher

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
	"github.com/freshet-dev/freshet/services/watcher/internal/watch"
)

// sourceBudget bounds the bytes of content that one source holds on their way
// to the log.
const sourceBudget = 32 << 20

// source is one watched source. Its goroutines belong to it; stop ends them.
type source struct {
	svc    *Service
	name   document.Source
	place  place
	pinned string // the branch that was asked for, "" for the default one
	repo   *gitrepo.Repo

	claims claims
	memory scan.Memory
	linked scan.Links
	budget *scan.Budget
	files  *watch.Watch   // of the folder, nil for a bare repository
	metas  []*watch.Watch // of the git directories

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	room    *room
	decide  sync.Once
	decided chan struct{} // closed when the source was admitted or held first

	mu       sync.Mutex
	stopped  bool
	view     document.View
	head     gitrepo.Head
	rules    *ignore.Set
	exclude  []string // rules that were named with the source
	scanning bool
	scanned  document.Token
	at       time.Time
	accepted extent
	held     string            // why nothing of it is published, "" when it is
	warned   string            // the last such that was logged
	degraded map[string]string // by what is degraded
	running  bool              // a loop of full comparisons is under way
	now      *fullRun          // the one that runs, or waits for its slot
	next     *fullRun
	retry    map[string]bool // unstable paths to look at again
}

// newSource returns a source that can compare, but watches nothing.
func newSource(svc *Service, name document.Source) *source {
	return &source{
		svc: svc, name: name, view: document.Worktree, claims: claims{held: map[document.DocID]claim{}},
		budget: scan.NewBudget(sourceBudget), degraded: map[string]string{}, retry: map[string]bool{},
		decided: make(chan struct{}), room: newRoom(),
	}
}

// openSource prepares a source; start sets it going.
func openSource(ctx context.Context, svc *Service, reg registration, p place) (*source, error) {
	s := newSource(svc, reg.Source)
	s.place, s.pinned, s.accepted, s.exclude = p, reg.Branch, reg.Accepted, reg.Exclude
	if p.mirror != nil {
		s.pinned = "" // the mirror has one branch
		if !p.mirror.Fetched() {
			s.degraded[degradedRemote] = p.mirror.URL + " was not fetched yet since the start"
		}
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	if p.kind == contract.SourceAPI {
		s.decide.Do(func() { close(s.decided) }) // who puts a document has decided
		return s, nil
	}
	if p.kind != contract.SourceFolder {
		repo, err := gitrepo.Open(p.layout, svc.cfg.Git)
		if err != nil {
			s.cancel()
			return nil, err
		}
		s.repo = repo
	}
	if err := s.open(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// open resolves what can fail for the user's doing, and creates the watches.
func (s *source) open(ctx context.Context) (err error) {
	if s.place.kind == contract.SourceBare {
		if s.head, err = s.repo.Head(ctx, s.pinned); err != nil {
			return err
		}
		if err := s.branchThere(s.head); err != nil {
			return err
		}
		s.view = viewOf(s.head)
	} else {
		if s.rules, err = s.loadRules(ctx); err != nil {
			return err
		}
		s.files, err = watch.New(watch.Options{
			Root: s.place.root, Quiet: s.svc.cfg.Debounce, Ceiling: s.svc.cfg.MaxDebounce,
			Poll: s.svc.cfg.Poll, MaxWatches: s.svc.cfg.MaxWatches,
		})
		if err != nil {
			return err
		}
	}
	if s.repo == nil {
		return nil
	}
	for _, dir := range s.place.layout.MetaDirs() {
		w, err := watch.New(watch.Options{Root: dir, Quiet: s.svc.cfg.Debounce, Ceiling: s.svc.cfg.MaxDebounce, Poll: s.svc.cfg.Poll})
		if err != nil {
			return err
		}
		s.metas = append(s.metas, w)
	}
	return nil
}

// branchThere refuses a branch that was asked for and has no commit.
func (s *source) branchThere(h gitrepo.Head) error {
	if s.pinned != "" && h.Commit == "" {
		return document.Errorf(document.NotFound, "%s has no branch %q: name one that it has", s.place.root, s.pinned)
	}
	return nil
}

func viewOf(h gitrepo.Head) document.View { return document.View(document.EncodePath(h.Branch)) }

// close gives back what open took, for a source that was not started.
func (s *source) close() {
	s.cancel()
	if s.files != nil {
		_ = s.files.Close()
	}
	for _, w := range s.metas {
		_ = w.Close()
	}
	if s.repo != nil {
		s.repo.Close()
	}
}

// start sets the watches going. The first comparison is the caller's.
func (s *source) start() {
	if s.known() { // it is not held, and its changes need not wait for the first comparison
		s.decide.Do(func() { close(s.decided) })
	}
	if s.files != nil {
		s.wg.Go(func() { s.note("watch", s.files.Run(s.ctx, s.changed)) })
	}
	for i, w := range s.metas {
		s.ensureMeta(i)
		s.wg.Go(func() {
			s.note("git watch", w.Run(s.ctx, func(ctx context.Context, batch []watch.Change) { s.metaChanged(ctx, i, batch) }))
		})
	}
	if s.files != nil {
		s.wg.Go(s.retryUnstable)
	}
	if s.place.kind != contract.SourceAPI {
		s.wg.Go(s.watchRoot)
	}
	if s.place.mirror != nil {
		s.wg.Go(s.followRemote)
	}
}

// stop ends the source and waits for its goroutines.
func (s *source) stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
	if s.repo != nil {
		s.repo.Close()
	}
}

// begin holds off the source's end; the caller calls end. The error is
// Unavailable.
func (s *source) begin() (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, errStopped
	}
	s.wg.Add(1)
	return s.wg.Done, nil
}

// note records that something works, or why it does not.
func (s *source) note(what string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.degraded, what)
		return
	}
	if !errors.Is(err, context.Canceled) {
		if s.degraded[what] != err.Error() {
			s.svc.log.Warn("source degraded", "source", s.name, "what", what, "error", err)
		}
		s.degraded[what] = err.Error()
	}
}

// loadRules reads the ignore rules as they stand now.
func (s *source) loadRules(ctx context.Context) (*ignore.Set, error) {
	root := s.place.root
	o := ignore.Options{Git: true, LeftOut: s.excluded(), Read: readBelow(root)}
	if rel, err := filepath.Rel(root, s.svc.stateDir); s.svc.stateDir != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
		o.Fixed = []string{filepath.ToSlash(rel)}
	}
	o.Nested = func(rel string) bool {
		dir := filepath.Join(root, filepath.FromSlash(rel))
		if s.repo == nil {
			return gitrepo.IsGitDir(dir)
		}
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		return err == nil || gitrepo.IsGitDir(dir)
	}
	if s.repo == nil {
		return ignore.New(o), nil
	}
	excludes, err := s.repo.Excludes(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range excludes {
		o.Excludes = append(o.Excludes, ignore.Exclude{Name: e.Name, Content: e.Content})
	}
	plain := ignore.New(o)
	o.Tracked, err = s.repo.TrackedIgnored(ctx, func(path string) bool {
		d := plain.Decide(path, false)
		return d.Ignored && d.Class == ignore.ClassGit
	})
	if err != nil {
		return nil, err
	}
	return ignore.New(o), nil
}

// disk returns the truth of the files on disk by the current rules.
func (s *source) disk() truth {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := onDisk{Disk: s.scanner(s.rules)}
	if s.files != nil {
		d.enter = func(raw string) { s.files.Ensure(raw) }
	}
	return d
}

// scanner examines the files on disk by some rules.
func (s *source) scanner(rules *ignore.Set) *scan.Disk {
	return &scan.Disk{
		Root: s.place.root, Rules: rules, Limit: s.svc.maxFileSize(), Budget: s.budget, Memory: &s.memory,
		Systems: &scan.Systems{}, Linked: &s.linked, Reads: &s.svc.reads,
	}
}

func (s *source) setRules(r *ignore.Set) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = r
}

// info describes the source.
func (s *source) info() contract.SourceInfo {
	st := s.svc.stats.of(s.name, s.currentView())
	if s.place.kind == contract.SourceAPI {
		st = s.svc.stats.ofAll(s.name)
	}
	crowded := s.crowded(st.skipped[string(classify.OverLimit)])
	s.mu.Lock()
	defer s.mu.Unlock()
	i := contract.SourceInfo{
		Source: s.name, Root: s.place.root, Remote: s.place.remote(), Kind: s.place.kind, View: s.view, Branch: s.head.Branch,
		Watched: true, Scanned: s.scanned, ScannedAt: s.at, Commit: s.head.Commit,
		Documents: st.documents, Bytes: st.bytes, Scanning: s.scanning, Held: s.held, Gone: cmp.Or(s.degraded[degradedRoot], s.degraded[degradedRemote]),
		Exclude: s.exclude,
	}
	for _, large := range []string{s.held, crowded} {
		if large != "" {
			i.Actions = append(i.Actions, document.About(large, acceptance(i.Root, i.Remote)...)...)
		}
	}
	if crowded != "" {
		i.Degraded = append(i.Degraded, crowded)
	}
	for _, n := range st.skipped {
		i.Skipped += n
	}
	for _, what := range slices.Sorted(maps.Keys(s.degraded)) {
		i.Degraded = append(i.Degraded, what+": "+s.degraded[what])
	}
	if s.files != nil {
		if d := s.files.Degraded(); d != "" {
			i.Degraded = append(i.Degraded, d)
		}
	}
	if s.repo != nil {
		i.Git = s.repo.Reader()
	}
	return i
}

// holds returns the path of an absolute path below the root.
func (s *source) holds(abs string) (raw string, ok bool) {
	if s.place.kind == contract.SourceAPI {
		return "", false
	}
	rel, err := filepath.Rel(s.place.root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}

// covers reports whether a directory is part of what the source indexes.
func (s *source) covers(abs string) bool {
	raw, ok := s.holds(abs)
	if !ok {
		return false
	}
	s.mu.Lock()
	rules := s.rules
	s.mu.Unlock()
	return raw == "" || rules != nil && !rules.Dir(raw).Self().Ignored
}

func (s *source) currentView() document.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// overflows is how often events were lost.
func (s *source) overflows() uint64 {
	var n uint64
	if s.files != nil {
		n = s.files.Overflows()
	}
	for _, w := range s.metas {
		n += w.Overflows()
	}
	return n
}

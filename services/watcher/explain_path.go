package watcher

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/beneath"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// explanation is one on its way: what is known, and what was found.
type explanation struct {
	contract.FileExplanation
	s     *source
	raw   string
	doc   document.Path
	known contract.FileHead
}

// visit looks at a path of a folder, a work tree or a repository, for its
// explanation. What was given by request has no place to look at, and no rules.
type visit struct {
	*explanation
	rules *ignore.Set
}

// onDisk explains a path of a folder or work tree by the rules as they stand
// now, which may be newer than those of the last comparison.
func (x *visit) onDisk(ctx context.Context) (err error) {
	if err := (origin.OnDisk{Disk: &scan.Disk{Root: x.s.origin.Place.Root}}).Reachable(); err != nil {
		return err
	}
	if x.rules, err = x.s.origin.LoadRules(ctx); err != nil {
		return err
	}
	full := filepath.Join(x.s.origin.Place.Root, filepath.FromSlash(x.raw))
	if link := x.linkAbove(); link != "" {
		x.behindLink(link, full)
		return nil
	}
	info, err := os.Lstat(full)
	x.Type = typeNothing
	switch {
	case err == nil && info.IsDir():
		x.Type = typeFolder
	case err == nil:
		x.Type = typeOfMode(info.Mode())
	}
	if info != nil && info.Mode()&fs.ModeSymlink != 0 {
		x.target(full)
	}
	if x.ruledOut() {
		return nil
	}
	candidate := scan.Candidate{Raw: x.raw}
	if x.Type == typeFolder && !x.rules.Dir(x.raw).Self().Ignored {
		dir, err := beneath.Open(x.s.origin.Place.Root, x.raw)
		if err == nil {
			_ = dir.Close() // only opened to see that it may be
			return x.folderOnDisk(ctx)
		}
		candidate.Err = err
	}
	// What is known is not told, so that everything is looked at.
	disk := &scan.Disk{Root: x.s.origin.Place.Root, Rules: x.rules, Limit: x.s.origin.Limit, Budget: x.s.origin.Budget, Memory: &scan.Memory{}, Always: true, Collection: x.s.origin.Collection}
	f, err := disk.Look(ctx, candidate, contract.FileHead{}, nil)
	if err != nil {
		return err
	}
	x.found(f)
	return nil
}

// inTree explains a path of a bare repository.
func (x *visit) inTree(ctx context.Context) error {
	head, err := x.s.origin.Repo.Head(ctx, x.s.origin.Pinned)
	if err != nil {
		return err
	}
	t, err := origin.ReadTree(ctx, x.s.origin, head)
	if err != nil {
		return err
	}
	x.rules = t.Rules
	e, there := t.Entry(x.raw)
	x.Type = typeNothing
	switch {
	case there && e.Type() == gitrepo.ModeLink:
		x.Type = string(classify.SymLink)
	case there && e.Type() == gitrepo.ModeModule:
		x.Type = string(classify.Submodule)
	case there:
		x.Type = typeFile
	case x.raw == "" || t.Holds(x.raw):
		x.Type = typeFolder
	}
	if x.ruledOut() {
		return nil
	}
	if x.Type == typeFolder {
		x.folderInTree(t)
		return nil
	}
	f, err := t.Look(ctx, scan.Candidate{Raw: x.raw}, contract.FileHead{}, nil)
	if err != nil {
		return err
	}
	x.found(f)
	return nil
}

// found turns what a look at the path found into a verdict.
func (x *visit) found(f scan.Finding) {
	x.s.origin.Budget.Give(f.Weight)
	if f.Kind != scan.Gone && f.Kind != scan.Dir && f.Reason != classify.Submodule {
		x.Now = &contract.FileState{Size: f.Size, Hash: f.Hash, Modified: f.Modified, Blob: f.Blob}
	}
	switch f.Kind {
	case scan.Put:
		x.content(f)
	case scan.Skip:
		x.skipped(f.Reason)
	case scan.Unstable:
		x.Verdict, x.Waits = contract.VerdictChanged, "it keeps changing while it is read, and is read again every "+retryEvery.String()
		x.Summary = x.name() + " keeps changing while it is read."
		x.Next = []string{"It is indexed when its writer has finished."}
	case scan.Gone, scan.Dir, scan.Same:
		if f.Reason == "" {
			x.gone()
			return
		}
		x.Verdict, x.Reason, x.InStep = contract.VerdictIgnored, string(f.Reason), !present(x.known)
		x.Summary = x.name() + " is left out: " + string(f.Reason) + "."
	}
}

// linkAbove returns the outermost folder above the path that is a symbolic
// link, relative to the root, or "".
func (x *visit) linkAbove() string {
	for i := range len(x.raw) {
		if x.raw[i] != '/' {
			continue
		}
		info, err := os.Lstat(filepath.Join(x.s.origin.Place.Root, filepath.FromSlash(x.raw[:i])))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return x.raw[:i]
		}
	}
	return ""
}

// behindLink is the verdict on what can only be reached through a link.
func (x *visit) behindLink(link, full string) {
	x.Verdict, x.Type = contract.VerdictBehindLink, typeOf(full)
	x.target(filepath.Join(x.s.origin.Place.Root, filepath.FromSlash(link)))
	x.InStep = !present(x.known)
	x.Summary = x.name() + " lies behind the symbolic link " + quoted(link) + ", and links are not followed."
	x.Next = []string{x.behind()}
	x.still()
}

// ruledOut looks for the rule that leaves the path out: one that matches a
// folder above it decides first.
func (x *visit) ruledOut() bool {
	for i := range len(x.raw) {
		if x.raw[i] != '/' {
			continue
		}
		above := x.raw[:i]
		if self := x.rules.Dir(above).Self(); self.Ignored {
			x.ignored(self, above)
			return true
		}
	}
	if x.raw == "" {
		return false
	}
	dec := x.rules.Decide(x.raw, x.Type == typeFolder)
	if dec.Ignored && dec.Class == ignore.ClassSecret && x.Type != typeFolder {
		x.rule(dec, x.raw)
		return false // it is known, as skipped
	}
	if dec.Ignored && x.Type == typeNothing && x.known.Version > 0 {
		return false // that it was there says more
	}
	if dec.Ignored {
		x.ignored(dec, x.raw)
		return true
	}
	if dec.Class != ignore.ClassNone {
		x.rule(dec, x.raw)
	}
	return false
}

// rule notes a decision.
func (x *explanation) rule(dec ignore.Decision, matched string) {
	file := dec.File
	if file != "" && x.s.origin.Place.Kind != contract.SourceBare && !filepath.IsAbs(file) {
		file = filepath.Join(x.s.origin.Place.Root, filepath.FromSlash(file))
	}
	x.Rule = &contract.IgnoreRule{
		Ignores: dec.Ignored, Class: string(dec.Class), Pattern: printableRule(dec.Rule),
		File: string(document.EncodePath(file)), Line: dec.Line, Matched: document.EncodePath(matched),
	}
}

// wait says what the difference between the log and the source waits for.
func (x *explanation) wait() {
	s := x.s
	scanning, unstable := s.full.isScanning(), s.comparer.retries.has(x.raw)
	scanned, failed := !s.position.get().compared.IsZero(), s.troubles.of(troubleComparison)
	held, full := s.quota.refusal(), s.svc.bus.Room().For(0)
	switch {
	case x.Waits != "":
	case held != nil:
		x.Waits = held.Error()
		if len(x.Actions) == 0 {
			x.Actions = document.ActionsOf(held)
		}
	case full != nil:
		x.Waits = full.Error()
	case s.comparer.claims.busy(document.DocOf(x.doc)):
		x.Waits = "it is being read or written to the log"
	case unstable:
		x.Waits = "it kept changing while it was read, and is read again every " + retryEvery.String()
	case failed != "":
		x.Waits = "the last comparison of the source failed, and is tried again: " + failed
	case !scanned:
		x.Waits = "the first comparison of the source has not ended yet"
	case scanning:
		x.Waits = "a comparison of the source is under way"
	case s.follower.files == nil:
		x.Waits = "its commit is newer than the one in the log, and is compared when the repository's change is noticed, at the latest after " + s.svc.cfg.Rescan.String()
	default:
		x.waitForEvents()
	}
}

func (x *explanation) waitForEvents() {
	s := x.s
	if since, ok := s.follower.files.Waiting(x.raw); ok {
		x.Waits = "its change was seen " + time.Since(since).Round(time.Millisecond).String() + " ago, and is read when it was quiet for " + s.svc.cfg.Debounce.String() + ", at the latest after " + s.svc.cfg.MaxDebounce.String()
		return
	}
	dir := x.raw[:max(0, strings.LastIndexByte(x.raw, '/'))]
	if s.follower.files.Polled(dir) {
		x.Waits = "its folder is polled every " + s.svc.cfg.Poll.String() + ", because no watch was left for it"
		return
	}
	x.Waits = "its change was not noticed yet; a comparison finds it after " + s.svc.cfg.Rescan.String() + " at the latest"
	x.do(document.DoAnnounce, s.origin.Place.Root)
}

// typeOfMode names what is no folder.
func typeOfMode(m fs.FileMode) string {
	if r := classify.FromMode(m); r != "" {
		return string(r)
	}
	return typeFile
}

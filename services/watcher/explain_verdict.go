package watcher

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// name is how a sentence calls the path.
func (x *explanation) name() string {
	if x.raw == "" {
		return "The source " + string(x.s.name)
	}
	return quoted(x.raw)
}

// content is the verdict on a file that is to be indexed.
func (x *explanation) content(f scan.Finding) {
	same := x.known.Op == contract.OpPut && x.known.Hash == f.Hash && x.known.Collection == f.Collection && !x.s.svc.cuts.differ(x.known)
	if overLimit(x.known) {
		x.skipped(classify.OverLimit)
		return
	}
	x.InStep = same
	if same {
		x.Verdict = contract.VerdictLogged
		x.Summary = x.name() + " is in the log as it is, as version " + version(x.known) + " of " + when(x.known.Time) + "."
		return
	}
	x.Verdict = contract.VerdictChanged
	switch {
	case x.s.quota.hold() != "":
		x.Summary = x.name() + " is not in the log: its source is larger than the limits, so nothing of it is indexed."
		x.accept()
	case x.known.Op == contract.OpPut:
		x.Summary = x.name() + " differs from its newest version in the log, " + version(x.known) + " of " + when(x.known.Time) + "."
	default:
		x.Summary = x.name() + " is not in the log yet."
	}
}

// overLimit reports whether a document was left out because its source was
// full.
func overLimit(known contract.FileHead) bool {
	return known.Op == contract.OpSkipped && known.Reason == string(classify.OverLimit)
}

// skipped is the verdict on what is known and not indexed.
func (x *explanation) skipped(reason classify.Reason) {
	x.Verdict, x.Reason = contract.VerdictSkipped, string(reason)
	x.InStep = x.known.Op == contract.OpSkipped && x.known.Reason == x.Reason
	if x.Rule == nil || x.Rule.Class != string(ignore.ClassSecret) {
		x.Summary = x.name() + " is not indexed: " + x.Reason + "."
	} else {
		x.Summary = x.name() + " is not indexed: by its name it holds credentials (" + x.Rule.Pattern + ")."
	}
	if f := format.Of(x.known.Path); f != nil && reason == classify.TooLarge(f.Size) {
		limit := strconv.FormatInt(f.Size, 10)
		x.Summary = x.name() + " is not indexed: it has " + strconv.FormatInt(x.Now.Size, 10) + " bytes, the limit of its format is " + limit + "."
		x.Next = []string{"Split it: no setting raises that limit."}
		return
	}
	switch reason {
	case classify.TooLarge(x.s.origin.Limit):
		limit := strconv.FormatInt(x.s.origin.Limit, 10)
		x.Setting = "watcher.max_file_size: " + limit + "B"
		x.Summary = x.name() + " is not indexed: it has " + strconv.FormatInt(x.Now.Size, 10) + " bytes, the limit is " + limit + "."
		x.Next = []string{"Raise watcher.max_file_size in the configuration (at most 64MiB) and start again, or split the file."}
	case classify.UnsafePath:
		x.Next = []string{"No work tree could hold such a path: give it another name in the repository."}
	case classify.Binary:
		x.Next = []string{"freshet indexes text: keep its text beside it in a file of its own."}
	case classify.Minified, classify.SourceMap, classify.LockFile, classify.LongLines:
		x.Next = []string{"Tools write such files, and no rule lets them in: index what they were made from."}
	case classify.LFSPointer:
		x.Next = []string{"Its content lies elsewhere: fetch it with `git lfs pull`."}
	case classify.BadObject:
		x.Next = []string{"See what is wrong with `git -C " + terminal.ShellWord(x.s.origin.Place.Root) + " fsck`, and fetch or push the object again; it is read at the next comparison."}
	case classify.PrivateKey:
		x.Next = []string{x.letIn(x.raw, false)}
	case classify.SymLink:
		x.Next = []string{"Links are not followed: " + x.behind()}
	case classify.Submodule:
		x.Type = string(reason)
		x.Summary = x.name() + " is a repository of its own, so it is not indexed with the one around it."
		x.do(document.DoSourceAdd, filepath.Join(x.s.origin.Place.Root, x.raw))
	case classify.OverLimit:
		x.Setting = "limits.files, limits.bytes"
		x.Summary = x.name() + " is not indexed: its source has as much as it may, " + x.s.quota.allowance().String() + "."
		x.accept()
	case classify.Pipe, classify.Socket, classify.Device, classify.Irregular:
		x.Next = []string{"Only regular files are read."}
	default:
		switch {
		case strings.HasPrefix(x.Reason, "secret"):
			x.Next = []string{x.letIn(x.raw, false)}
		case strings.HasPrefix(x.Reason, "unreadable"):
			x.Next = []string{"Give the user that runs freshet permission to read it, and to enter the folders above it."}
			x.belowUnreadable()
		}
	}
	x.still()
}

// accept says what to do about a source that is larger than the limits.
func (x *explanation) accept() {
	x.Next = []string{"Leave folders out in .freshetignore."}
	x.Actions = append(x.Actions, acceptance(x.s.origin.Place.Root, x.s.origin.Place.Remote())...)
}

// do adds what can be done with a path of the file system.
func (x *explanation) do(kind document.ActionKind, path string) {
	x.Actions = append(x.Actions, document.Action{Do: kind, Path: document.EncodePath(path)})
}

// belowUnreadable looks for the folder that stands in the log for everything
// that it keeps from being read.
func (x *explanation) belowUnreadable() {
	for i := range len(x.raw) {
		if x.raw[i] != '/' {
			continue
		}
		above := document.EncodePath(x.raw[:i])
		h := x.s.svc.ledger.get(bus.FileKey{Source: x.s.name, Doc: document.DocOf(above), View: x.s.position.view()})
		if h.Op == contract.OpSkipped && !present(x.known) {
			x.InStep = true
			x.Summary = x.name() + " lies in the folder " + string(above) + ", which is " + h.Reason + "."
			return
		}
	}
}

// ignored is the verdict on what a rule leaves out; matched is the path that
// the rule matched.
func (x *explanation) ignored(dec ignore.Decision, matched string) {
	x.Verdict = contract.VerdictIgnored
	x.rule(dec, matched)
	x.InStep = x.known.Op != contract.OpPut && x.known.Op != contract.OpSkipped
	what := x.name() + " is left out"
	if matched != x.raw {
		what = x.name() + " lies in " + quoted(matched) + "/, which is left out"
	}
	folder := matched != x.raw || x.Type == typeFolder
	switch {
	case dec.Class == ignore.ClassNested:
		x.Summary = x.name() + " lies in " + quoted(matched) + "/, a repository of its own."
		x.do(document.DoSourceAdd, filepath.Join(x.s.origin.Place.Root, matched))
	case dec.Class == ignore.ClassFixed:
		x.Summary = what + ": it is freshet's own state, which is never indexed."
	case dec.Class == ignore.ClassLeft:
		x.Summary = what + " by `" + x.Rule.Pattern + "`, which was named with the source " + string(x.s.name) + "."
		x.Setting = "sources[].exclude"
		x.Next = []string{"Name the source without it: in sources[].exclude of the configuration, or wherever it was added."}
	case dec.File != "":
		x.Summary = what + " by the rule `" + x.Rule.Pattern + "` in " + quoted(dec.File) + " line " + strconv.Itoa(dec.Line) + "."
		if dec.Class == ignore.ClassOwn {
			x.Next = []string{"Take that line out, or put `" + exception(matched, folder) + "` below it."}
		} else {
			x.Next = []string{x.letIn(matched, folder)}
		}
	case dec.Class == ignore.ClassBuiltin && ignore.Never(filepath.Base(matched)):
		x.Summary = what + ": it belongs to a version control system or to freshet, and no rule lets it in."
	default:
		x.Summary = what + " by the built-in rule `" + x.Rule.Pattern + "`" + kindOfRule(dec.Class) + "."
		x.Next = []string{x.letIn(matched, folder)}
	}
	x.still()
}

func kindOfRule(c ignore.Class) string {
	if c == ignore.ClassSecret {
		return " for what holds credentials"
	}
	return ""
}

// still adds that the log has another state than the one just explained.
func (x *explanation) still() {
	if !x.InStep && x.known.Op == contract.OpPut {
		x.Summary += " The log still has version " + version(x.known) + " of " + when(x.known.Time) + "."
	}
}

// gone is the verdict on a path at which there is nothing.
func (x *explanation) gone() {
	x.Type = typeNothing
	x.InStep = !present(x.known)
	switch {
	case present(x.known):
		x.Verdict = contract.VerdictDeleted
		x.Summary = x.name() + " is not there any more; the log still has version " + version(x.known) + " of " + when(x.known.Time) + "."
	case x.known.Op == contract.OpDelete:
		x.Verdict = contract.VerdictDeleted
		x.Summary = x.name() + " was deleted as version " + version(x.known) + ", " + when(x.known.Time) + "."
	default:
		x.Verdict = contract.VerdictMissing
		x.Summary = x.name() + " is not there, and the log knows of no earlier version."
		x.Next = []string{"Check the path and its case."}
		x.do(document.DoExplain, x.s.origin.Place.Root)
	}
}

// target notes where a link leads.
func (x *explanation) target(link string) {
	if to, err := filepath.EvalSymlinks(link); err == nil {
		x.Target = string(document.EncodePath(to))
	} else if to, err := os.Readlink(link); err == nil {
		x.Target = string(document.EncodePath(to))
	}
}

// behind says what to do about a link, and adds what can be done.
func (x *explanation) behind() string {
	to := document.Path(x.Target).Raw()
	if _, err := os.Stat(to); to == "" || err != nil || !filepath.IsAbs(to) {
		return "it leads nowhere."
	}
	if src, raw := holder(x.s.svc.sources(), to); src != nil {
		return "what it leads to is " + quoted(raw) + " of the source " + string(src.name) + "; ask for that."
	}
	dir := to
	if typeOf(to) != typeFolder {
		dir = filepath.Dir(to)
	}
	x.do(document.DoSourceAdd, dir)
	return "what it leads to lies outside the source."
}

// unreadable is the verdict where the source cannot be looked at now.
func (x *explanation) unreadable(err error) {
	x.Verdict = contract.VerdictUnreadable
	if x.Type == "" {
		x.Type = typeNothing
	}
	x.InStep = true // what is known stands
	x.Summary = x.name() + " cannot be looked at now: " + err.Error() + "."
	x.Next = []string{"What the log has of it stands until the source can be read again."}
	x.Actions = document.Acts(document.DoStatusShow)
}

package watcher

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// audit is a comparison that writes nothing: it notes what differs, and counts
// what is there.
type audit struct {
	view document.View
	tell func(done int) // may be nil

	mu        sync.Mutex
	documents int // with content, in the source
	skipped   int // in the source
	told      time.Time
	unread    *contract.Unread
	found     map[string]finding // by raw path
}

// finding is what the log should say of a document, and what it says.
type finding struct {
	view document.View
	want contract.FileHead
	have contract.FileHead // the zero head where it has none
}

// tellEvery is the time between two reports of an audit's progress.
const tellEvery = 500 * time.Millisecond

// audit compares scopes of a view with its truth, reading every file.
func (c *comparer) audit(ctx context.Context, t origin.Truth, view document.View, scopes []scope, tell func(int)) (*audit, error) {
	a := &audit{view: view, tell: tell, told: time.Now(), found: map[string]finding{}}
	one := &comparison{by: c, truth: t, view: view, pipe: newPipe(ctx, c, t, false), seen: map[document.Path]bool{}, audit: a}
	out, err := one.run(ctx, scopes)
	a.unread = out.unread
	return a, err
}

// count counts what is in the source.
func (a *audit) count(f scan.Finding, known contract.FileHead) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.Kind == scan.Skip || f.Kind == scan.Same && known.Op == contract.OpSkipped {
		a.skipped++
	} else {
		a.documents++
	}
	if now := time.Now(); a.tell != nil && now.Sub(a.told) > tellEvery {
		a.told = now
		a.tell(a.documents + a.skipped)
	}
}

func (a *audit) note(raw string, want, have contract.FileHead) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found[raw] = finding{a.view, want, have}
}

// lasts reports whether another look has found the same: nobody is at work on
// it meanwhile.
func (f finding) lasts(again finding) bool {
	return f.view == again.view && f.have.Version == again.have.Version && same(f.want, again.want)
}

// difference says what a finding is.
func (f finding) difference() contract.Difference {
	d := contract.Difference{Stage: contract.VerifyFiles, Source: f.want.Source, Doc: f.want.Doc, Path: f.want.Path, View: f.view}
	switch {
	case f.want.Op == contract.OpDelete:
		d.What, d.Detail = contract.FaultExtra, fmt.Sprintf("the log has version %d of it, the source does not have it", f.have.Version)
	case !present(f.have):
		d.What, d.Detail = contract.FaultMissing, "the source has it, the log does not"
	case f.want.Op != f.have.Op:
		d.What, d.Detail = contract.FaultDifferent, fmt.Sprintf("it is %s in the log, the source says %s", said(f.have), said(f.want))
	case f.want.Op == contract.OpSkipped:
		d.What, d.Detail = contract.FaultDifferent, fmt.Sprintf("it is left out as %q in the log, the source says %q", f.have.Reason, f.want.Reason)
	case f.want.Hash == f.have.Hash && f.want.Format != f.have.Format:
		d.What, d.Detail = contract.FaultDifferent, fmt.Sprintf("its text is that of the format %q in the log, and %q by its name", f.have.Format, f.want.Format)
	case f.want.Hash == f.have.Hash && f.want.Grammar != f.have.Grammar:
		d.What, d.Detail = contract.FaultDifferent, fmt.Sprintf("it is cut by the grammar %q in the log, and %q by its name", f.have.Grammar, f.want.Grammar)
	case f.want.Hash == f.have.Hash:
		d.What, d.Detail = contract.FaultDifferent, fmt.Sprintf("its collection is %s in the log, and %s by its name", f.have.Collection, f.want.Collection)
	default:
		d.What, d.Detail = contract.FaultDifferent, fmt.Sprintf("version %d has another content than the source", f.have.Version)
	}
	return d
}

func said(h contract.FileHead) string {
	if h.Op == contract.OpSkipped {
		return "left out (" + h.Reason + ")"
	}
	return "a document"
}

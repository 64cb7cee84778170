// Package deadletter lists the dead letters of the log, has their stages handle
// them again, and dismisses them.
package deadletter

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// Letters answers for the dead letters. It is safe for concurrent use.
type Letters struct {
	Bus   *bus.Bus
	Index *freshness.Index
	// Of reports whether a letter is about what is searched. What failed in the making
	// of another index is no failure of it. Builds are what those of a stage stand under.
	Of     func(bus.DeadKey) bool
	Builds func(contract.Stage) []contract.BuildID
}

// get returns the letter of a stage on a document.
func (l *Letters) get(stage contract.Stage, source document.Source, doc document.DocID) (contract.DeadHead, bool) {
	for _, build := range l.Builds(stage) {
		k := bus.DeadKey{Stage: stage, Source: source, Doc: doc, Build: build}
		if d, ok := l.Bus.Dead().Get(k); ok && l.Of(k) {
			return d, true
		}
	}
	return contract.DeadHead{}, false
}

const (
	// pageLetters is the most that one answer lists or one request changes.
	pageLetters = 1000
	// pageBytes keeps an answer well below the 1 MiB that a NATS server lets
	// through, where paths and reasons are long.
	pageBytes = 512 << 10
	// letterBytes is about what a letter takes beside its path and reason.
	letterBytes = 400
)

// newest reports whether a letter is about the newest version of its document
// in some view. Else a newer version is on its way, which will clear it.
func (l *Letters) newest(d *contract.DeadHead) bool {
	for view, cover := range d.Covers.All() {
		head, ok := l.Bus.Files().Get(bus.FileKey{Source: d.Source, Doc: d.Doc, View: view})
		if ok && head.Version == cover.Version {
			return true
		}
	}
	return false
}

// current waits until the tables include all that the log has now.
func (l *Letters) current(ctx context.Context) error {
	if err := bus.CatchUp(ctx, l.Bus, l.Bus.Dead()); err != nil {
		return err
	}
	return bus.CatchUp(ctx, l.Bus, l.Bus.Files())
}

// choose returns the letters that a filter lets through, by source, path and
// stage, from the cursor on.
func (l *Letters) choose(ctx context.Context, f contract.DeadFilter, after string) (list []contract.DeadHead, total int, err error) {
	paths, err := request.ParsePaths(f.Paths)
	if err != nil {
		return nil, 0, err
	}
	if err := checkFilter(f); err != nil {
		return nil, 0, err
	}
	if err := l.current(ctx); err != nil {
		return nil, 0, err
	}
	l.Bus.Dead().Range(func(k bus.DeadKey, d contract.DeadHead) bool {
		if !l.Of(k) || !has(f.Sources, d.Source) || !has(f.Stages, d.Stage) || !has(f.Kinds, d.Kind) || !paths.Match(d.Path) {
			return true
		}
		if !f.Past && (d.State == contract.LetterDismissed || !l.newest(&d)) {
			return true
		}
		total++
		if cursor(&d) > after {
			list = append(list, d)
		}
		return true
	})
	slices.SortFunc(list, func(a, b contract.DeadHead) int { return cmp.Compare(cursor(&a), cursor(&b)) })
	return list, total, nil
}

func has[T comparable](list []T, one T) bool { return len(list) == 0 || slices.Contains(list, one) }

// checkFilter refuses what no letter can have, so that a slip of the pen is
// not taken for an empty list.
func checkFilter(f contract.DeadFilter) error {
	for _, s := range f.Stages {
		if !slices.Contains(contract.Stages, s) {
			return document.Errorf(document.InvalidRequest, "there is no stage %q: use %s", s, join(contract.Stages))
		}
	}
	for _, k := range f.Kinds {
		if !slices.Contains(contract.FailureKinds, k) {
			return document.Errorf(document.InvalidRequest, "there is no kind of failure %q: use %s", k, join(contract.FailureKinds))
		}
	}
	return nil
}

func join[T ~string](names []T) string {
	text := make([]string, len(names))
	for i, n := range names {
		text[i] = string(n)
	}
	return strings.Join(text, ", ")
}

// cursor orders the letters; no part of it can hold a line break.
func cursor(d *contract.DeadHead) string {
	return string(d.Source) + "\n" + string(d.Path) + "\n" + string(d.Stage)
}

// page cuts a list to what fits into one answer, and tells where the next one
// begins.
func page(list []contract.DeadHead, limit int) (head []contract.DeadHead, next string) {
	size := 0
	for i := range list {
		size += letterBytes + len(list[i].Path) + len(list[i].Reason)
		if i > 0 && (i == limit || size > pageBytes) {
			return list[:i], cursor(&list[i-1])
		}
	}
	return list, ""
}

func versions(c contract.Covers) map[document.View]document.Version {
	out := make(map[document.View]document.Version, c.Len())
	for view, cover := range c.All() {
		out[view] = cover.Version
	}
	return out
}

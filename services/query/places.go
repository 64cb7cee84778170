package query

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/places"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
)

// mostFiles is how many files that fit a place alike are shown for it.
const mostFiles = 8

// placed is a line that a place of the question stands for.
type placed struct {
	place   int // of the question, from 0
	id      document.ChunkID
	version document.Version
	line    int
}

// namesPlaces reports whether the question names lines of files.
func namesPlaces(q *search) bool { return len(q.req.Places) > 0 }

// findPlaces is the stage that finds the passages which hold the lines that the
// question names. The heads tell which documents fit, those first of which the path
// has most in common; their newest text in the log, cut or not, tells the passage.
func findPlaces(ctx context.Context, q *search) (report, error) {
	q.found.placed, q.placed, q.known = nil, nil, make([]bool, len(q.req.Places))
	fits := fitting(ctx, q)
	var lines []plain.Line
	var of []int
	for _, i := range byCause(q.req.Places) {
		p := &q.req.Places[i]
		for k := range fits[i] {
			q.known[i] = true
			lines, of = append(lines, plain.Line{Head: fits[i][k].head, Line: p.Line, In: p.In}), append(of, i)
		}
	}
	r := report{in: len(q.req.Places)}
	if ctx.Err() != nil {
		q.degradeOnce("places: not every document was looked at for the files that the question names")
	}
	at, err := q.service.plain.At(ctx, lines, q.req.Keep)
	if err != nil {
		o := outcome{stage: "places", trouble: err}
		r.note = trouble(q, &o)
		q.degradeOnce("places: " + r.note)
		return r, nil //nolint:nilerr // The answer says so.
	}
	seen := map[document.ChunkID]bool{}
	for i := range at {
		if at[i].Line == 0 {
			continue
		}
		f := at[i].Found
		q.placed = append(q.placed, placed{place: of[i], id: f.ID, version: lines[i].Head.Version, line: at[i].Line})
		if !seen[f.ID] {
			seen[f.ID] = true
			q.found.placed = append(q.found.placed, f)
		}
	}
	// The first counts whole, and each further one less than the one before.
	for i := range q.found.placed {
		q.found.placed[i].Score = 1 - placeStep*float64(i)/float64(len(q.found.placed))
	}
	r.out = len(q.found.placed)
	return r, nil
}

// placeStep is how much less than the first the last of several places counts.
const placeStep = .4

// byCause orders places as they explain what happened: as they stand, and the last
// first where a trace ends with the cause.
func byCause(all []places.Place) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if all[a].Innermost && all[b].Innermost {
			return b - a
		}
		return 0
	})
	return order
}

// fit is a document that may be the file of a place.
type fit struct {
	head contract.FileHead
	well int // how much of the path is the same
}

// fitting returns the documents that fit each place best.
func fitting(ctx context.Context, q *search) [][]fit {
	byName := map[string][]int{}
	for i := range q.req.Places {
		name := path.Base(q.req.Places[i].Path)
		byName[name] = append(byName[name], i)
	}
	roots := map[document.Source]string{}
	if list, _, ok := q.service.sources.Last(ctx); ok {
		for _, s := range list {
			roots[s.Source] = s.Root
		}
	}
	all := make([][]fit, len(q.req.Places))
	q.service.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		raw := h.Path.Raw()
		for _, i := range byName[raw[strings.LastIndexByte(raw, '/')+1:]] {
			if h.Op != contract.OpPut || !q.inScope(&h) {
				break
			}
			if well := q.req.Places[i].Fit(raw, roots[h.Source]); well > 0 {
				all[i] = append(all[i], fit{h, well})
			}
		}
		return ctx.Err() == nil
	})
	for i := range all {
		all[i] = bestFits(all[i])
	}
	return all
}

// bestFits leaves of the documents that fit a place those that fit it best: the
// shortest path first, and of several views the worktree.
func bestFits(all []fit) []fit {
	slices.SortFunc(all, func(a, b fit) int {
		return cmp.Or(b.well-a.well, len(a.head.Path)-len(b.head.Path), cmp.Compare(a.head.Path, b.head.Path),
			cmp.Compare(a.head.Source, b.head.Source), viewOrder(a.head.View)-viewOrder(b.head.View), cmp.Compare(a.head.View, b.head.View))
	})
	for i := range all {
		if all[i].well < all[0].well {
			return all[:min(i, mostFiles)]
		}
	}
	return all[:min(len(all), mostFiles)]
}

func viewOrder(v document.View) int {
	if v == document.Worktree {
		return 0
	}
	return 1
}

// placesOf returns the places that a hit holds the lines of.
func placesOf(q *search, c *candidate.Candidate, head *contract.FileHead, first, last int) (out []contract.HitPlace) {
	for _, p := range q.placed {
		if p.id == c.ID && p.version == head.Version && first <= p.line && p.line <= last {
			at := contract.HitPlace{Place: p.place + 1, Line: p.line}
			if typed := &q.req.Places[p.place]; typed.Line == p.line {
				at.Column = typed.Column
			}
			out = append(out, at)
		}
	}
	return out
}

// namesFile reports whether the question asks for one file by its path, or for a
// line of it: then its passages are not bounded.
func namesFile(q *search) func(document.Path) bool {
	return func(p document.Path) bool {
		return q.req.Paths.Names(p) || slices.ContainsFunc(q.found.placed, func(f candidate.Found) bool { return f.Attrs.Path == p })
	}
}

// understoodPlaces tells how the places of the question were read. One that only
// looks like a file is left out where no document has its name.
func understoodPlaces(q *search) (out []contract.Place) {
	for i := range q.req.Places {
		p := &q.req.Places[i]
		known := i < len(q.known) && q.known[i]
		if !known && !p.Sure {
			continue
		}
		out = append(out, contract.Place{
			Place: i + 1, Path: p.Path, Line: p.Line, Column: p.Column, Function: p.Function, Known: known,
			Found: slices.ContainsFunc(q.placed, func(at placed) bool { return at.place == i }),
		})
	}
	return out
}

package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// depth is the k of NDCG@k.
const depth = 10

// Way says what a rank is counted over.
type Way string

// The ways.
const (
	// OverFiles counts a file once, at its best hit. A passage is found at the
	// rank of its file, if one of the file's hits overlaps it.
	OverFiles Way = "files"
	// OverChunks counts every hit, as the answer has them.
	OverChunks Way = "chunks"
)

// Measure is one figure of an answer, from 0 to 1.
type Measure int

// The measures. All but the two of NDCG are counted in the way that is asked
// for.
const (
	NDCGFiles Measure = iota
	NDCGChunks
	Recall
	MRR
	Hit1
	Hit3
	Hit5
	Hit10
	measures
)

// MeasureNames are the names of the measures in reports and floors.
var MeasureNames = [measures]string{"ndcg@10_files", "ndcg@10_chunks", "recall", "mrr", "hit@1", "hit@3", "hit@5", "hit@10"}

// Measures are all figures of one answer, or their means.
type Measures [measures]float64

// Score measures an answer to a task that is answerable. NDCG@10 has the
// discount log2(rank + 1) and the grade as gain (Järvelin and Kekäläinen, 2002,
// in the form that starts to discount at rank 2); the ideal has min(N, 10)
// hits, those beyond the known ones of grade 1, and one rank earns one gain.
// Recall is that of the first k hits; the reciprocal rank is that of the first
// relevant hit of all.
func Score(t *Task, hits []Hit, way Way, k int) Measures {
	var m Measures
	m[NDCGFiles], m[NDCGChunks] = ndcg(t, hits, OverFiles), ndcg(t, hits, OverChunks)
	wanted := goals(t, way)
	n := len(wanted) + unknown(t)
	entries := entriesOf(hits, way)
	first := 0
	for _, g := range wanted {
		rank := g.rank(entries, t.Root)
		if rank > 0 && rank <= k {
			m[Recall] += 1 / float64(n)
		}
		if rank > 0 && (first == 0 || rank < first) {
			first = rank
		}
	}
	if first == 0 {
		return m
	}
	m[MRR] = 1 / float64(first)
	for at, rank := range map[Measure]int{Hit1: 1, Hit3: 3, Hit5: 5, Hit10: 10} {
		if first <= rank {
			m[at] = 1
		}
	}
	return m
}

func ndcg(t *Task, hits []Hit, way Way) float64 {
	entries := entriesOf(hits, way)
	var gains [depth]float64
	var grades []float64
	for _, g := range goals(t, way) {
		grades = append(grades, g.grade)
		if rank := g.rank(entries, t.Root); rank > 0 && rank <= depth {
			gains[rank-1] = max(gains[rank-1], g.grade)
		}
	}
	for range unknown(t) {
		grades = append(grades, 1)
	}
	slices.SortFunc(grades, func(a, b float64) int { return cmp.Compare(b, a) })
	var gain, ideal float64
	for i := range depth {
		discount := math.Log2(float64(i + 2))
		gain += gains[i] / discount
		if i < len(grades) {
			ideal += grades[i] / discount
		}
	}
	if ideal == 0 {
		return 0
	}
	return gain / ideal
}

// Earns returns what a hit by itself earns over chunks: the number from 1 of the
// target that it is of, of several the one of the highest grade, and that grade; 0
// for none. A target is earned once.
func (t *Task) Earns(h Hit) (target int, grade float64) {
	for i, g := range goals(t, OverChunks) {
		if g.grade > grade && g.rank([][]Hit{{h}}, t.Root) > 0 {
			target, grade = i+1, g.grade
		}
	}
	return target, grade
}

// unknown is the number of targets that exist and are not named.
func unknown(t *Task) int { return max(t.N-len(goals(t, OverChunks)), 0) }

// goal is what one rank can be earned with: a target, or over files all that
// are of one file.
type goal struct {
	targets []Target
	grade   float64
}

func goals(t *Task, way Way) []goal {
	var out []goal
	for _, target := range t.Relevant {
		grade := target.Grade
		if grade == 0 {
			grade = 1
		}
		i := slices.IndexFunc(out, func(g goal) bool {
			other := g.targets[0]
			if way == OverFiles {
				return plain(other.Path) == plain(target.Path)
			}
			return other.Path == target.Path && other.StartLine == target.StartLine && other.EndLine == target.EndLine && other.Heading == target.Heading
		})
		if i < 0 {
			out = append(out, goal{[]Target{target}, grade})
			continue
		}
		out[i].targets, out[i].grade = append(out[i].targets, target), max(out[i].grade, grade)
	}
	return out
}

// rank is that of the first entry with a hit of the goal, 0 for none.
func (g goal) rank(entries [][]Hit, root string) int {
	for i, entry := range entries {
		for _, h := range entry {
			for _, t := range g.targets {
				if t.found(h, root) {
					return i + 1
				}
			}
		}
	}
	return 0
}

// entriesOf puts together the hits that share a rank.
func entriesOf(hits []Hit, way Way) [][]Hit {
	var out [][]Hit
	at := map[string]int{}
	for _, h := range hits {
		name := string(h.Source) + ":" + plain(h.Path)
		i, known := at[name]
		if way == OverFiles && known {
			out[i] = append(out[i], h)
			continue
		}
		at[name] = len(out)
		out = append(out, []Hit{h})
	}
	return out
}

// Found reports whether a hit is one of the target, whose path is that of the
// hit's source.
func (t Target) Found(h Hit) bool { return t.found(h, "") }

// found reports whether a hit is one of the target: of its file, and where
// lines or a heading are given, overlapping these, or below that.
func (t Target) found(h Hit, root string) bool {
	if slices.ContainsFunc(h.Copies, func(c Hit) bool { return t.found(c, root) }) {
		return true
	}
	if want, got := plain(t.Path), plain(h.Path); got != want && rooted(got, root) != want {
		return false
	}
	return t.holds(h.StartLine, h.EndLine, h.Headings)
}

func (t Target) holds(start, end int, headings []string) bool {
	if t.StartLine == 0 && t.Heading == "" {
		return true
	}
	if t.StartLine > 0 && start <= t.EndLine && t.StartLine <= end {
		return true
	}
	if len(t.spans) > 0 {
		return slices.ContainsFunc(t.spans, func(s span) bool { return start <= s.end && s.start <= end })
	}
	return t.Heading != "" && slices.ContainsFunc(headings, func(h string) bool { return bare(h) == bare(t.Heading) })
}

// plain returns a path with forward slashes and without "./" in front.
func plain(p string) string {
	p = strings.ReplaceAll(p, "\\", "/")
	for strings.HasPrefix(p, "./") {
		p = p[2:]
	}
	return p
}

// rooted returns the path relative to the repository of one that is relative
// to its indexed folder.
func rooted(p, root string) string {
	if root = strings.Trim(root, "/"); root == "" {
		return p
	}
	return root + "/" + p
}

// cutFolder returns what of a path is below a folder.
func cutFolder(p, folder string) (string, bool) {
	if folder = strings.Trim(folder, "/"); folder == "" {
		return p, false
	}
	return strings.CutPrefix(p, folder+"/")
}
